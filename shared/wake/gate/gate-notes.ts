/** What a sweep notes in the gate of a queue: a drain that could not be started, a wake that was lost. */
import { storableLine } from '../../contract/text/text.ts';
import { changeGate, type GateDeps } from './gate.ts';
import type { GateRow } from './gate-row.ts';

/** Longest text of an error that a gate keeps. */
const MAX_ERROR_CHARS = 500;

/**
 * Records on the gate that the drain of `generation` could not be started. Gives since when that has been so, as service
 * time in milliseconds, or undefined when the drain has begun by now, or another one has the gate.
 */
export async function recordStartFailure(
  { table, now }: Pick<GateDeps, 'table' | 'now'>,
  { queue, generation }: Pick<GateRow, 'queue' | 'generation'>,
  error: Error,
): Promise<number | undefined> {
  const at = new Date(now()).toISOString();
  const row = await changeGate(table, queue, (row) =>
    row.status === 'draining' && row.generation === generation && row.aliveUntil === ''
      ? { startFailure: { since: row.startFailure?.since ?? at, error: storableLine(error.message, MAX_ERROR_CHARS) } }
      : undefined,
  );
  return row && Date.parse(row.startFailure?.since ?? at);
}

/** Counts a wake that was lost: there was work, and no wake had reached the gate. */
export const countMissedWake = (
  { table, now }: Pick<GateDeps, 'table' | 'now'>,
  queue: string,
): Promise<GateRow | undefined> =>
  changeGate(table, queue, ({ missedWakes }) => ({
    missedWakes: missedWakes + 1,
    missedWakeAt: new Date(now()).toISOString(),
  }));
