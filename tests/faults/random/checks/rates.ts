/** Compares the handler calls of a workload with its limit, over all runs of its slot. */
import { busiestWindow, exceededLimits, type Limits } from '../../../helpers/servers/rates.ts';
import { RATE_LIMIT } from '../../app/items.ts';

const LIMITS: Limits = { unit: 'items', limit: RATE_LIMIT.items, perMs: RATE_LIMIT.perSeconds * 1_000 };
/** The maximum age that a window of the checker reaches back to. */
const KEPT_MS = 10 * LIMITS.perMs;

/** The calls of a slot: the rate share in their busiest window of ten periods, and violations. */
export interface RateVerdict {
  share: number;
  wrong: string[];
}

/** Creates the check of a slot; it receives the start times of the calls of each of its runs. */
export function createRateCheck(): (atMs: readonly number[]) => RateVerdict {
  let kept: readonly number[] = [];
  return (atMs) => {
    const all = [...kept, ...atMs].sort((a, b) => a - b);
    const lastMs = all.at(-1) ?? 0;
    kept = all.filter((ms) => ms > lastMs - KEPT_MS);
    const calls = all.map((ms) => ({ atMs: ms, items: 1 }));
    const share = busiestWindow(calls, LIMITS.unit, KEPT_MS).count / (LIMITS.limit * (KEPT_MS / LIMITS.perMs));
    return { share, wrong: exceededLimits(calls, LIMITS).map((text) => `too fast: ${text}`) };
  };
}
