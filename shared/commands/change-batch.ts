import { type BatchRow, toBatchEntity } from '../batches/batch-row.ts';
import { readBatch, rowOf } from '../batches/ledger.ts';
import { Problem } from '../errors.ts';
import { LOST_RACE, retryLostRace } from '../storage/lost-race.ts';
import type { Table } from '../storage/table.ts';
import { writeRow } from '../storage/write-row.ts';

/** A batch row before and after a command; the same row if the command has left it as it was. */
export interface Changed {
  before: BatchRow;
  row: BatchRow;
}

/**
 * Changes the row of a batch by ETag for a command. `change` gives the next row, or the same one to leave it.
 * @throws Problem 'not-found'; whatever `change` throws to refuse the command
 */
export const changeFor = (
  table: Table,
  id: string,
  change: (row: BatchRow) => BatchRow | Promise<BatchRow>,
): Promise<Changed> =>
  retryLostRace(rowOf(id), async () => {
    const found = await readBatch(table, id);
    if (!found) throw new Problem('not-found', `There is no batch "${id}".`);
    const { row: before, etag } = found;
    const row = await change(before);
    if (row !== before && (await writeRow(table, toBatchEntity(row), etag)) === undefined) return LOST_RACE;
    return { before, row };
  });
