/** Index rows, in the table of the batches: partition `day-<date>` is what a listing shows, by one query however many there are. */
import { odata } from '@azure/data-tables';
import { batchDate } from '../contract/names.ts';
import { deleteEntity, type Entity, queryEntities, type Table } from '../storage/table.ts';
import { type BatchRow, type BatchState, pendingItems } from './batch-row.ts';

const HEX = '0123456789abcdef';
const TIMES = ['queuedAt', 'deadlineAt', 'completedAt'] as const;

/** What a listing shows of a batch: as it was at its acceptance, or at its last end. */
export interface IndexEntry {
  id: string;
  workload: string;
  lane: string;
  state: BatchState;
  accepted: number;
  dead: number;
  queuedAt?: string;
  deadlineAt?: string;
  completedAt?: string;
  /** What it had spent by then, so that the cost of a month is one query too. */
  spent: Pick<BatchRow, 'operations' | 'handlerSeconds' | 'chunksDone' | 'chunksTotal'>;
}

/**
 * The row key of a batch within its day: the digits of its id turned round, for tables answer in ascending order and a
 * listing wants the newest first.
 */
export const newestFirst = (id: string): string =>
  id.replaceAll(/[0-9a-f]/g, (digit) => HEX[15 - HEX.indexOf(digit)] ?? digit);

/** Writes the batch's line in the listing of its day. */
export async function indexBatch(table: Table, row: BatchRow): Promise<void> {
  await table.upsertEntity(toIndexEntity(row), 'Replace');
}

/** The entity of a batch's line. */
export function toIndexEntity(row: BatchRow): Record<string, unknown> & { partitionKey: string; rowKey: string } {
  const { id, workload, lane, state, accepted, dead, queuedAt, deadlineAt, completedAt, chunksDone, chunksTotal } = row;
  return {
    partitionKey: dayPartition(batchDate(id)),
    rowKey: newestFirst(id),
    workload,
    lane,
    state,
    accepted,
    dead,
    pending: pendingItems(row),
    chunksDone,
    chunksTotal,
    handlerSeconds: { type: 'Double', value: String(row.handlerSeconds) },
    operations: JSON.stringify(row.operations),
    deadlineAt,
    ...(queuedAt ? { queuedAt } : {}),
    ...(completedAt ? { completedAt } : {}),
  };
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
  const { workload, lane, state, accepted, dead } = entity;
  const { operations = '{}', handlerSeconds = 0, chunksDone = 0, chunksTotal = 0 } = entity;
  return {
    id: newestFirst(entity.rowKey),
    workload: String(workload),
    lane: String(lane),
    state: state as BatchState,
    accepted: Number(accepted),
    dead: Number(dead),
    ...timesOf(entity),
    spent: {
      operations: JSON.parse(String(operations)) as BatchRow['operations'],
      handlerSeconds: Number(handlerSeconds),
      chunksDone: Number(chunksDone),
      chunksTotal: Number(chunksTotal),
    },
  };
}

/** Lines of before an update lack some. */
const timesOf = (entity: Entity): Pick<IndexEntry, (typeof TIMES)[number]> =>
  Object.fromEntries(TIMES.filter((name) => entity[name] !== undefined).map((name) => [name, String(entity[name])]));

const dayPartition = (day: string): string => `day-${day}`;
