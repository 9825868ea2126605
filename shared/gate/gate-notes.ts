/** Notes in the gate of a queue: due times of delayed messages, a drain that could not be started, a wake that was lost. */
import { storableLine } from '../contract/text/text.ts';
import type { Table } from '../storage/table.ts';
import { mergeDue } from './due.ts';
import type { GateDeps } from './gate.ts';
import { type GateRow, isHeldBy } from './gate-row.ts';
import { changeGate } from './gate-store.ts';

const MAX_ERROR_CHARS = 500;

/**
 * Records in the gate that the drain of `generation` could not be started. Returns the service time in milliseconds of
 * the first such failure, or undefined if the drain has started in the meantime or another one holds the gate.
 */
export async function recordStartFailure(
  { table, now }: Pick<GateDeps, 'table' | 'now'>,
  { queue, generation }: Pick<GateRow, 'queue' | 'generation'>,
  error: Error,
): Promise<number | undefined> {
  const at = new Date(now()).toISOString();
  const row = await changeGate(table, queue, (row) =>
    isHeldBy(row, generation) && row.aliveUntil === ''
      ? { startFailure: { since: row.startFailure?.since ?? at, error: storableLine(error.message, MAX_ERROR_CHARS) } }
      : undefined,
  );
  return row && Date.parse(row.startFailure?.since ?? at);
}

/** Counts a lost wake: the queue had work, and no wake had reached the gate. */
export const countMissedWake = (
  { table, now }: Pick<GateDeps, 'table' | 'now'>,
  queue: string,
): Promise<GateRow | undefined> =>
  changeGate(table, queue, ({ missedWakes }) => ({
    missedWakes: missedWakes + 1,
    missedWakeAt: new Date(now()).toISOString(),
  }));

/**
 * Records in the gate when delayed messages of its queue become visible: a drain that finds them invisible parks until
 * then.
 */
export async function recordDue(table: Table, queue: string, due: readonly string[]): Promise<void> {
  await changeGate(table, queue, (row) => {
    const merged = mergeDue(row.due, due);
    return merged.join() === row.due.join() ? undefined : { due: merged };
  });
}
