/** Handler calls of a workload with a limit, held against it over all runs of its slot. */
import { exceededLimits, type Limits } from '../../helpers/rates.ts';
import { RATE_LIMIT } from '../app/items.ts';

const LIMITS: Limits = { unit: 'items', limit: RATE_LIMIT.items, perMs: RATE_LIMIT.perSeconds * 1_000 };
/** As far back as a window of the checker reaches. */
const KEPT_MS = 10 * LIMITS.perMs;

/** Makes the check of a slot: is given when the calls of each of its runs began, and says what was too fast. */
export function createRateCheck(): (atMs: readonly number[]) => string[] {
  let kept: readonly number[] = [];
  return (atMs) => {
    const all = [...kept, ...atMs].sort((a, b) => a - b);
    const lastMs = all.at(-1) ?? 0;
    kept = all.filter((ms) => ms > lastMs - KEPT_MS);
    const calls = all.map((ms) => ({ atMs: ms, items: 1 }));
    return exceededLimits(calls, LIMITS).map((text) => `too fast: ${text}`);
  };
}
