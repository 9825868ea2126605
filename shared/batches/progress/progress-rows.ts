/**
 * How far the running chunks of a batch are: a row per process, in the partition of the batch. A row is a display, and
 * decides nothing: it is written unconditionally, and one that is lost, late or left behind by a crash harms nothing.
 */
import { type Entity, fromEntity, toEntity } from '../../storage/entity.ts';
import { deleteEntity, odata, queryEntities, type Table } from '../../storage/table.ts';
import { BATCH_ROW_KEY, type BatchRow, fromBatchEntity, pendingItems, type Versioned } from '../batch-row.ts';

/** How far the running chunks of a batch are. Counts are of items, but for `chunks`. */
export interface RunningProgress {
  chunks: number;
  items: number;
  /** Those with a result or a dead letter, which the ledger does not count before their chunk has ended. */
  ended: number;
  inFlight: number;
  /** Those whose attempt has failed, and dead letters. */
  failing: number;
  /** The latest failure, on one line. */
  error?: string | undefined;
}

/** Progress at service time `at`, ISO text. */
export interface BatchProgress extends RunningProgress {
  at: string;
}

/** Directly behind the batch row and before all chunk rows, so that one query over a small range reads row and progress. */
const PREFIX = `${BATCH_ROW_KEY}.progress.`;
/** Bounds of these rows in a query by row key: '/' is the character after '.'. */
export const PROGRESS_ROWS = { from: PREFIX, to: `${BATCH_ROW_KEY}.progress/` } as const;

/** A process writes every ten seconds, so an older row is of one that has died, or cannot write. */
const FRESH_MS = 30_000;

/** Writes how far the running chunks of a batch are in a process, or removes what it has written. */
export async function writeProgress(
  table: Table,
  { batch, processId }: { batch: string; processId: string },
  progress: BatchProgress | undefined,
): Promise<void> {
  const keys = { partitionKey: batch, rowKey: `${PREFIX}${processId}` };
  if (progress === undefined) await deleteEntity(table, keys.partitionKey, keys.rowKey);
  else await table.upsertEntity(toEntity('progress', keys, progress), 'Replace');
}

/** A batch, and the progress of its running chunks in each process. */
export interface BatchAndProgress extends Versioned<BatchRow> {
  progress: BatchProgress[];
  /** When the batch row was last written, by the service's clock, in milliseconds. */
  changedMs: number;
}

/** Reads a batch together with the progress of its running chunks, by one query; undefined when there is no such batch. */
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
export const fromProgressEntity = (entity: Entity): BatchProgress => fromEntity('progress', entity) as BatchProgress;

/**
 * Sums the rows that are fresh at service time `nowMs`; undefined when none is. An item that ended in a running chunk is
 * counted twice from the collection of that chunk until its process writes again, so no more have ended than are pending.
 */
export function sumFresh(rows: readonly BatchProgress[], batch: BatchRow, nowMs: number): BatchProgress | undefined {
  const fresh = rows.filter(({ at }) => nowMs - Date.parse(at) <= FRESH_MS).sort((a, b) => (a.at < b.at ? 1 : -1));
  const [latest] = fresh;
  if (latest === undefined) return undefined;
  const { ended, ...sum } = sumRunning(fresh);
  return { ...sum, at: latest.at, ended: Math.min(ended, pendingItems(batch)) };
}

/** Sums running chunks; the error is the first one that any of `parts` has. */
export function sumRunning(parts: readonly RunningProgress[]): RunningProgress {
  const sum = (field: Exclude<keyof RunningProgress, 'error'>): number =>
    parts.reduce((total, part) => total + part[field], 0);
  return {
    ...{ chunks: sum('chunks'), items: sum('items'), ended: sum('ended'), inFlight: sum('inFlight') },
    failing: sum('failing'),
    error: parts.find(({ error }) => error !== undefined)?.error,
  };
}
