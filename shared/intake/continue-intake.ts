/** The part of intake after acceptance. It is idempotent, so a retry or the sweep can continue from the batch row. */
import type { BatchRow } from '../batches/batch-row.ts';
import type { ChunkRow, ChunkRows } from '../batches/chunk-row.ts';
import { changeBatch, changeFrom, insertChunks, MAX_CHUNK_ROWS_PER_TRANSACTION } from '../batches/ledger.ts';
import type { BatchStore } from '../batches/remove-batch.ts';
import { chunkId } from '../contract/names.ts';
import type { ChunkEntry } from '../contract/payload-index.ts';
import { type EnqueueDeps, enqueue } from '../queues/enqueue.ts';
import { type ChunkIndex, openChunkIndex } from './store/chunk-index.ts';

export type ContinueDeps = EnqueueDeps & BatchStore;

/** Creates the pending rows of the first chunks of a payload. A pure function of the batch row and the index. */
export const chunkRowsOf = (batch: BatchRow, entries: readonly ChunkEntry[]): ChunkRow[] =>
  entries.map((entry, position) => chunkRowOf(batch, entry, position));

/** Creates the pending rows of all chunks of a payload, while its index is read. */
export async function* rowsOfIndex(batch: BatchRow, index: ChunkIndex): AsyncGenerator<ChunkRow> {
  let position = 0;
  for await (const entry of index.entries()) yield chunkRowOf(batch, entry, position++);
}

function chunkRowOf(batch: BatchRow, entry: ChunkEntry, position: number): ChunkRow {
  const chunk = chunkId(position);
  const { offset, length, bytes, items, firstItem, digest } = entry;
  const { id, workload, version, payload: blob, acceptedAt: enqueuedAt, traceparent } = batch;
  const place = { container: 'payloads', blob, offset, length, bytes, items, firstItem, digest } as const;
  const trace = traceparent === undefined ? {} : { traceparent };
  const reference = {
    v: 1,
    workload,
    version,
    batch: id,
    chunk,
    kind: 'items',
    ...place,
    enqueuedAt,
    ...trace,
  } as const;
  return { batch: id, chunk, state: 'pending', items, reference };
}

/**
 * Enters an accepted batch into its queues: inserts missing chunk rows, sends references and wake events, then changes the
 * state to `queued`. `accepted`: its first rows were inserted just now. Without it, all rows are inserted (again).
 */
export function continueIntake(
  deps: ContinueDeps,
  batch: BatchRow,
  accepted?: Omit<Entering, 'rows'> & { index: ChunkIndex },
): Promise<BatchRow> {
  const opening = accepted ? Promise.resolve(accepted.index) : openChunkIndex(deps, batch);
  const rows = async function* (): AsyncGenerator<ChunkRow> {
    yield* rowsOfIndex(batch, await opening);
  };
  return enterQueues(deps, batch, { ...accepted, rows });
}

/** Pending rows that must enter the queues. */
export interface Entering {
  /** Reads all rows of the revision; called twice. */
  rows: () => ChunkRows;
  /** Whether the transaction that has just been written has inserted the first of them. Default false: resume. */
  isBegun?: boolean;
  /** ETag of the batch row after that transaction. */
  etag?: string;
}

/**
 * Enters the rows of an accepted revision (an upload or a redrive) into their queues. A redrive and a resumed intake always
 * send wake events. The state changes only in the revision that was read: a caller that was delayed here must not mark a
 * later revision as queued.
 */
export async function enterQueues(deps: ContinueDeps, batch: BatchRow, entering: Entering): Promise<BatchRow> {
  const { rows, isBegun = false } = entering;
  await insertChunks(deps.table, rows(), isBegun ? MAX_CHUNK_ROWS_PER_TRANSACTION : 0);
  await enqueue(deps, batch, rows(), { resent: !isBegun, isUpload: batch.revision === 0 && isBegun });
  const queuedAt = batch.queuedAt ?? new Date(deps.gate.now()).toISOString();
  const queued = (now: BatchRow): Partial<BatchRow> | undefined =>
    now.state === 'enqueueing' && now.revision === batch.revision ? { state: 'queued', queuedAt } : undefined;
  const { etag } = entering;
  const row = await (etag === undefined
    ? changeBatch(deps.table, batch.id, queued)
    : changeFrom(deps.table, { row: batch, etag }, queued).then((changed) => changed?.row));
  return row ?? batch;
}
