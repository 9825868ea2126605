import { type BatchRow, toBatchEntity } from '../batches/batch-row.ts';
import { requireBatch, rowOf } from '../batches/ledger.ts';
import { addOperations } from '../contract/operations.ts';
import type { Meter } from '../cost/meter.ts';
import { LOST_RACE, retryLostRace } from '../storage/lost-race.ts';
import type { Table } from '../storage/table.ts';
import { writeRow } from '../storage/write-row.ts';

/** A batch row before and after a command; both are the same object if the command has not changed it. */
export interface Changed {
  before: BatchRow;
  row: BatchRow;
}

/**
 * Changes the row of a batch by ETag for a command, and charges the batch for the operations of the command so far.
 * `change` returns the next row, or the same object to leave it.
 * @throws BatchGoneError; also anything that `change` throws to refuse the command
 */
export const changeFor = (
  { table, meter }: { table: Table; meter: Pick<Meter, 'record' | 'unrecorded'> },
  id: string,
  change: (row: BatchRow) => BatchRow | Promise<BatchRow>,
): Promise<Changed> =>
  retryLostRace(rowOf(id), async () => {
    const { row: before, etag } = await requireBatch(table, id);
    const changed = await change(before);
    if (changed === before) return { before, row: before };
    const own = addOperations(meter.unrecorded(), { 'table.update': 1 });
    const row = { ...changed, operations: addOperations(changed.operations, own) };
    if ((await writeRow(table, toBatchEntity(row), etag)) === undefined) return LOST_RACE;
    meter.record(own);
    return { before, row };
  });
