/** Index rows, in the table of the batches: partition `day-<date>` is what a listing shows, by one query however many there are. */

import type { Labels } from '../contract/labels.ts';
import { batchDate } from '../contract/names.ts';
import { type Entity, fromEntity, type StoredEntity, toEntity } from '../storage/entity.ts';
import { deleteEntity, odata, queryEntities, type Table } from '../storage/table.ts';
import type { BatchRow, BatchState } from './batch-row.ts';

const HEX = '0123456789abcdef';

/** A batch's times as a listing shows them: those of the present revision, and the verdict on the first. */
export interface ListedTimes {
  revision: number;
  revisionItems: number;
  openedAt: string;
  queuedAt?: string | undefined;
  deadlineAt: string;
  completedAt?: string | undefined;
  pausedMs?: number | undefined;
  /** From the first redrive on: whether the first completion met the deadline. Before, the times above tell. */
  deadlineMet?: boolean | undefined;
}

/** What a listing shows of a batch: as it was at its acceptance, or at its last end. */
export interface IndexEntry extends ListedTimes {
  id: string;
  workload: string;
  lane: string;
  state: BatchState;
  accepted: number;
  dead: number;
  fileName?: string | undefined;
  labels?: Labels | undefined;
  /** What it had spent by then, so that the cost of a month is one query too. */
  spent: Pick<BatchRow, 'operations' | 'handlerSeconds' | 'chunksDone' | 'chunksTotal'>;
}

/** The times of a batch for its line. */
export function listedTimes(row: BatchRow): ListedTimes {
  const { revision, revisionItems, openedAt, queuedAt, deadlineAt, completedAt, pausedMs } = row;
  const [first] = row.earlier;
  const deadlineMet = first && first.completedAt !== undefined ? first.completedAt <= first.deadlineAt : undefined;
  return { revision, revisionItems, openedAt, queuedAt, deadlineAt, completedAt, pausedMs, deadlineMet };
}

/**
 * The row key of a batch within its day: the digits of its id turned round, for tables answer in ascending order and a
 * listing wants the newest first.
 */
const newestFirst = (id: string): string =>
  id.replaceAll(/[0-9a-f]/g, (digit) => HEX[15 - HEX.indexOf(digit)] ?? digit);

/** Writes the batch's line in the listing of its day. */
export async function indexBatch(table: Table, row: BatchRow): Promise<void> {
  await table.upsertEntity(toIndexEntity(row), 'Replace');
}

/** The entity of a batch's line. */
export function toIndexEntity(row: BatchRow): StoredEntity {
  const { id, workload, lane, state, accepted, dead, chunksDone, chunksTotal, handlerSeconds, operations } = row;
  const { fileName, labels } = row;
  const shown = { workload, lane, state, accepted, dead, fileName, labels, ...listedTimes(row) };
  const spent = { chunksDone, chunksTotal, handlerSeconds, operations };
  const keys = { partitionKey: dayPartition(batchDate(id)), rowKey: newestFirst(id) };
  return toEntity('line', keys, { ...shown, ...spent });
}

/** Removes the batch's line from the listing. */
export const unindexBatch = (table: Table, id: string): Promise<void> =>
  deleteEntity(table, dayPartition(batchDate(id)), newestFirst(id));

/** The batches of a day (`yyyy-mm-dd`, UTC), newest first, after batch `after`. */
export async function* batchesOfDay(table: Table, day: string, after?: string): AsyncGenerator<IndexEntry> {
  const whole = odata`PartitionKey eq ${dayPartition(day)}`;
  const filter = after === undefined ? whole : `${whole} and ${odata`RowKey gt ${newestFirst(after)}`}`;
  for await (const entity of queryEntities(table, filter)) yield fromIndexEntity(entity);
}

/** Comparisons that a filter may have beside those of the days: 15 in all (learn: querying tables and entities). */
const MAX_NAMES = 13;

/**
 * The batches of all days from `first` to `last`, day by day: one query, an operation a thousand of them. `workloads` are
 * those that the caller wants; where they are too many for a filter, others come as well.
 */
export async function* batchesOfDays(
  table: Table,
  { first, last, workloads }: { first: string; last: string; workloads?: readonly string[] },
): AsyncGenerator<IndexEntry> {
  const days = odata`PartitionKey ge ${dayPartition(first)} and PartitionKey le ${dayPartition(last)}`;
  const isNamed = workloads !== undefined && workloads.length <= MAX_NAMES;
  const names = isNamed ? workloads.map((name) => odata`workload eq ${name}`).join(' or ') : '';
  const filter = names === '' ? days : `${days} and (${names})`;
  for await (const entity of queryEntities(table, filter)) yield fromIndexEntity(entity);
}

function fromIndexEntity(entity: Entity): IndexEntry {
  const { operations = {}, handlerSeconds = 0, chunksDone = 0, chunksTotal = 0, ...shown } = fromEntity('line', entity);
  return {
    ...(shown as Omit<IndexEntry, 'id' | 'spent'>),
    id: newestFirst(entity.rowKey),
    spent: { operations: operations as BatchRow['operations'], handlerSeconds, chunksDone, chunksTotal },
  };
}

const dayPartition = (day: string): string => `day-${day}`;
