import { type BatchRow, toBatchEntity } from '../batches/batch-row.ts';
import { charged, UPDATE } from '../batches/charge.ts';
import { requireBatch, rowOf } from '../batches/ledger.ts';
import { LOST_RACE, retryLostRace } from '../storage/lost-race.ts';
import type { Table } from '../storage/table.ts';
import { writeRow } from '../storage/write-row.ts';

/**
 * Changes the row of a batch by ETag for a command. `change` returns the next row, or the same object to leave it: then
 * `before` and `row` are the same object, too.
 * @throws BatchGoneError; also anything that `change` throws to refuse the command
 */
export const changeFor = (
  { table }: { table: Table },
  id: string,
  change: (row: BatchRow) => BatchRow | Promise<BatchRow>,
): Promise<{ before: BatchRow; row: BatchRow }> =>
  retryLostRace(rowOf(id), async () => {
    const { row: before, etag } = await requireBatch(table, id);
    const changed = await change(before);
    if (changed === before) return { before, row: before };
    const { row, stored } = charged(changed, UPDATE);
    if ((await writeRow(table, toBatchEntity(row), etag)) === undefined) return LOST_RACE;
    stored();
    return { before, row };
  });
