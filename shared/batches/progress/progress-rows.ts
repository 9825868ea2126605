/**
 * The progress of the running chunks of a batch: one row per process, in the partition of the batch. These rows are
 * only displayed and decide nothing. They are written unconditionally, and a row that is lost, late or left by a crash
 * has no effect on the work.
 */
import { type Entity, fromEntity, toEntity } from '../../storage/entity.ts';
import { defineRow, int32, int64, optional, type RowOf, text } from '../../storage/row.ts';
import { deleteEntity, odata, queryEntities, type Table } from '../../storage/table.ts';
import { BATCH_ROW_KEY, type BatchRow, fromBatchEntity, pendingItems, type Versioned } from '../batch-row.ts';

/** The progress of the running chunks of a batch in one process. All counts are items, except `chunks`. */
export const PROGRESS = defineRow('progress', {
  at: text(),
  chunks: int32(),
  items: int64(),
  /** Items with a result or a dead letter. The ledger counts them when their chunk has ended. */
  ended: int64(),
  inFlight: int64(),
  /** Items with a failed attempt, and dead letters. */
  failing: int64(),
  error: optional(text()),
});
export type BatchProgress = RowOf<typeof PROGRESS>;
export type RunningProgress = Omit<BatchProgress, 'at'>;

/** After the batch row and before all chunk rows, so that one query reads the row and the progress. */
const PREFIX = `${BATCH_ROW_KEY}.progress.`;
/** Bounds of these rows in a query by row key: '/' is the character after '.'. */
export const PROGRESS_ROWS = { from: PREFIX, to: `${BATCH_ROW_KEY}.progress/` } as const;

/** A process writes every ten seconds. An older row belongs to a process that has died or cannot write. */
const FRESH_MS = 30_000;

/** Writes the progress of the running chunks of a batch in a process, or deletes its row. */
export async function writeProgress(
  table: Table,
  { batch, processId }: { batch: string; processId: string },
  progress: BatchProgress | undefined,
): Promise<void> {
  const keys = { partitionKey: batch, rowKey: `${PREFIX}${processId}` };
  if (progress === undefined) await deleteEntity(table, keys.partitionKey, keys.rowKey);
  else await table.upsertEntity(toEntity(PROGRESS, keys, progress), 'Replace');
}

/** A batch, and the progress of its running chunks in each process. */
export interface BatchAndProgress extends Versioned<BatchRow> {
  progress: BatchProgress[];
  /** When the batch row was last written, by the clock of the service, in milliseconds. */
  changedMs: number;
}

/** Reads a batch together with the progress of its running chunks, with one query; undefined if there is no such batch. */
export async function readBatchAndProgress(table: Table, id: string): Promise<BatchAndProgress | undefined> {
  const filter = odata`PartitionKey eq ${id} and RowKey ge ${BATCH_ROW_KEY} and RowKey lt ${PROGRESS_ROWS.to}`;
  let batch: Entity | undefined;
  const progress: BatchProgress[] = [];
  for await (const entity of queryEntities(table, filter)) {
    if (entity.rowKey === BATCH_ROW_KEY) batch = entity;
    else progress.push(fromProgressEntity(entity));
  }
  return batch && { ...fromBatchEntity(batch), progress, changedMs: Date.parse(String(batch.timestamp)) };
}

/** Whether a row of a batch's partition is a progress row. */
export const isProgressKey = (rowKey: string): boolean => rowKey.startsWith(PREFIX);

/** Reads the progress of a process from its entity. */
export const fromProgressEntity = (entity: Entity): BatchProgress => fromEntity(PROGRESS, entity);

/**
 * Sums the rows that are fresh at service time `nowMs`; undefined if none is. After a chunk is collected, its items are
 * counted twice until its process writes again; therefore the sum is limited to the pending items.
 */
export function sumFresh(rows: readonly BatchProgress[], batch: BatchRow, nowMs: number): BatchProgress | undefined {
  const fresh = rows.filter(({ at }) => nowMs - Date.parse(at) <= FRESH_MS).sort((a, b) => (a.at < b.at ? 1 : -1));
  const [latest] = fresh;
  if (latest === undefined) return undefined;
  const { ended, ...sum } = sumRunning(fresh);
  return { ...sum, at: latest.at, ended: Math.min(ended, pendingItems(batch)) };
}

/** Sums the progress of running chunks; the error is the first one in `parts`. */
export function sumRunning(parts: readonly RunningProgress[]): RunningProgress {
  const sum = (field: Exclude<keyof RunningProgress, 'error'>): number =>
    parts.reduce((total, part) => total + part[field], 0);
  return {
    ...{ chunks: sum('chunks'), items: sum('items'), ended: sum('ended'), inFlight: sum('inFlight') },
    failing: sum('failing'),
    error: parts.find(({ error }) => error !== undefined)?.error,
  };
}
