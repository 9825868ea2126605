/** The part of intake after acceptance. It is idempotent, so a retry or the sweep can continue from the batch row. */
import type { ContainerClient } from '@azure/storage-blob';
import type { BatchRow } from '../batches/batch-row.ts';
import type { ChunkRow } from '../batches/chunk-row.ts';
import { changeBatch, changeFrom, insertChunks, MAX_CHUNK_ROWS_PER_TRANSACTION } from '../batches/ledger.ts';
import { FrameError } from '../contract/errors.ts';
import { CONTAINERS, chunkId } from '../contract/names.ts';
import { addOperations, type Operations } from '../contract/operations.ts';
import { type ChunkEntry, readIndex } from '../contract/payload-index.ts';
import type { Meter } from '../cost/meter.ts';
import { downloadBytes } from '../storage/blob-reads.ts';
import type { Table } from '../storage/table.ts';
import { type EnqueueDeps, enqueue } from '../wake/enqueue.ts';

export interface ContinueDeps extends EnqueueDeps {
  table: Table;
  container: (name: string) => ContainerClient;
  meter: Pick<Meter, 'record' | 'unrecorded'>;
}

/** Creates the pending rows of a payload's chunks. A pure function of the batch row and the index. */
export function chunkRowsOf(batch: BatchRow, entries: readonly ChunkEntry[]): ChunkRow[] {
  return entries.map((entry, position) => {
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
  });
}

/**
 * Enters an accepted batch into its queues: inserts missing chunk rows, sends references and wake events, then changes the
 * state to `queued`. `written` holds the rows that the caller has just inserted. Without it, all rows are read from the
 * payload's index and inserted (again).
 */
export async function continueIntake(
  deps: ContinueDeps,
  batch: BatchRow,
  written: Omit<Entering, 'resume'> = { chunks: [] },
): Promise<BatchRow> {
  return enterQueues(deps, batch, {
    ...written,
    resume: async () => chunkRowsOf(batch, await readChunkIndex(deps, batch)),
  });
}

/** Pending rows that must enter the queues. */
export interface Entering {
  /** Rows whose first transaction has just been written; empty means resume. */
  chunks: ChunkRow[];
  /** ETag of the batch row after that transaction. */
  etag?: string;
  /** Reads all rows of the revision from the stored blob. */
  resume: () => Promise<ChunkRow[]>;
  /** Operations that the caller performs for the batch after this. Default: none. */
  after?: Operations;
  /** Operations that no meter counts, read when the row is written. Default: none. */
  uncounted?: () => Operations;
}

/**
 * Enters the rows of an accepted revision (an upload or a redrive) into their queues. A redrive and a resumed intake always
 * send wake events. The state changes only in the revision that was read: a caller that was delayed here must not mark a
 * later revision as queued.
 */
export async function enterQueues(deps: ContinueDeps, batch: BatchRow, entering: Entering): Promise<BatchRow> {
  const resumed = entering.chunks.length === 0;
  const all = resumed ? await entering.resume() : entering.chunks;
  await insertChunks(deps.table, resumed ? all : all.slice(MAX_CHUNK_ROWS_PER_TRANSACTION));
  await enqueue(deps, batch, all, { resent: resumed, isUpload: batch.revision === 0 && !resumed });
  const queuedAt = batch.queuedAt ?? new Date(deps.gate.now()).toISOString();
  const { after = {}, uncounted = () => ({}) } = entering;
  let counted: Operations = {};
  const queued = (now: BatchRow): Partial<BatchRow> | undefined => {
    if (now.state !== 'accepting' || now.revision !== batch.revision) return undefined;
    // Includes what the caller did before, and this write itself.
    counted = [deps.meter.unrecorded(), { 'table.update': 1 }, after].reduce(addOperations);
    return { state: 'queued', queuedAt, operations: [now.operations, counted, uncounted()].reduce(addOperations) };
  };
  const { etag } = entering;
  const row = await (etag === undefined
    ? changeBatch(deps.table, batch.id, queued)
    : changeFrom(deps.table, { row: batch, etag }, queued).then((changed) => changed?.row));
  if (row) deps.meter.record(counted);
  return row ?? batch;
}

/** Reads the chunk index of a batch's payload. */
export async function readChunkIndex(deps: Pick<ContinueDeps, 'container'>, batch: BatchRow): Promise<ChunkEntry[]> {
  const blob = deps.container(CONTAINERS.payloads).getBlobClient(batch.payload);
  const bytes = await downloadBytes(blob, { offset: batch.indexOffset, count: batch.indexLength });
  if (bytes.length !== batch.indexLength) throw new FrameError(`The index of payload ${batch.payload} is truncated.`);
  return readIndex(bytes);
}
