/**
 * Index rows, in the table of the batches: partition `day-<date>` contains the finished batches of a day, so that one
 * query reads them. A batch that has not finished for the first time has its row `open` instead (open-rows.ts).
 */

import { batchDate } from '../../contract/names.ts';
import { type Entity, fromEntity, type StoredEntity, toEntity } from '../../storage/entity.ts';
import { defineRow, pickColumns, pickValues, type Values } from '../../storage/row.ts';
import { deleteEntity, odata, queryEntities, type Table } from '../../storage/table.ts';
import { BATCH, type BatchRow } from '../batch-row.ts';
import { LISTED_TIMES, listedTimes } from './listed-times.ts';

const HEX = '0123456789abcdef';

const OF_BATCH = pickColumns(BATCH, [
  ...(['workload', 'lane', 'state', 'accepted', 'dead', 'discarded', 'causes', 'fileName', 'labels'] as const),
]);
const SHOWN = { ...LISTED_TIMES, ...OF_BATCH };
/** What a batch had spent by then, so that one query is enough for the cost of a month. */
const SPENT = pickColumns(BATCH, ['operations', 'handlerSeconds', 'chunksDone', 'chunksTotal']);

/** The row of a batch in the listing of its day, as of its last end or of the opening of its revision. */
export const LINE = defineRow('line', { ...SHOWN, ...SPENT });

export type IndexEntry = Values<typeof SHOWN> & { id: string; spent: Values<typeof SPENT> };

/** Computes the row key of a batch within its day: its id inverted, so that the newest comes first. */
const newestFirst = (id: string): string =>
  id.replaceAll(/[0-9a-f]/g, (digit) => HEX[15 - HEX.indexOf(digit)] ?? digit);

/** Writes the batch's line in the listing of its day. */
export async function indexBatch(table: Table, row: BatchRow): Promise<void> {
  await table.upsertEntity(toIndexEntity(row), 'Replace');
}

/** Creates the listing entry of a batch from its current row. */
export function indexEntryOf(row: BatchRow): IndexEntry {
  const { id } = row;
  return { id, ...pickValues(OF_BATCH, row), ...listedTimes(row), spent: pickValues(SPENT, row) };
}

/** Creates the entity of a batch's line. */
export function toIndexEntity(row: BatchRow): StoredEntity {
  const { id, spent, ...shown } = indexEntryOf(row);
  const keys = { partitionKey: dayPartition(batchDate(id)), rowKey: newestFirst(id) };
  return toEntity(LINE, keys, { ...shown, ...spent });
}

/** Removes the batch's line from the listing. */
export const unindexBatch = (table: Table, id: string): Promise<void> =>
  deleteEntity(table, dayPartition(batchDate(id)), newestFirst(id));

/** Reads the batches of a day (`yyyy-mm-dd`, UTC), newest first, after batch `after`. */
export async function* batchesOfDay(table: Table, day: string, after?: string): AsyncGenerator<IndexEntry> {
  const whole = odata`PartitionKey eq ${dayPartition(day)}`;
  const filter = after === undefined ? whole : `${whole} and ${odata`RowKey gt ${newestFirst(after)}`}`;
  for await (const entity of queryEntities(table, filter)) yield fromIndexEntity(entity);
}

/** Maximum number of workloads in a filter of 15 comparisons (source: Microsoft Learn, querying tables). */
const MAX_NAMES = 12;

export interface DaysQuery {
  first: string;
  last: string;
  workloads?: readonly string[] | undefined;
  /** Only batches with dead letters; `trouble`: also suspect ones, and those without a report. */
  only?: keyof typeof CONDITIONS;
}

/** The suffix makes a number an Int64, which is the type of the column. */
const CONDITIONS = {
  dead: 'dead gt 0L',
  trouble: `(dead gt 0L or ${odata`state eq ${'suspect'} or state eq ${'reportFailed'}`})`,
};

/**
 * Reads the batches of all days from `first` to `last`, day by day: one query, one operation per 1,000 batches.
 * `workloads` are those that the caller needs; if they are too many for a filter, the result contains others as well.
 */
export async function* batchesOfDays(
  table: Table,
  { first, last, workloads, only }: DaysQuery,
): AsyncGenerator<IndexEntry> {
  const days = odata`PartitionKey ge ${dayPartition(first)} and PartitionKey le ${dayPartition(last)}`;
  const isNamed = workloads !== undefined && workloads.length <= MAX_NAMES;
  const names = isNamed ? workloads.map((name) => odata`workload eq ${name}`).join(' or ') : '';
  const named = names === '' ? days : `${days} and (${names})`;
  const filter = only === undefined ? named : `${named} and ${CONDITIONS[only]}`;
  for await (const entity of queryEntities(table, filter)) yield fromIndexEntity(entity);
}

function fromIndexEntity(entity: Entity): IndexEntry {
  const line = fromEntity(LINE, entity);
  return { id: newestFirst(entity.rowKey), ...pickValues(SHOWN, line), spent: pickValues(SPENT, line) };
}

const dayPartition = (day: string): string => `day-${day}`;
