/** The part of intake after acceptance: idempotent, so that a retry or the sweep can go on from the batch row. */
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

/** The pending rows of a payload's chunks: a pure function of the batch row and the index. */
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
 * Brings an accepted batch into its queues: the missing chunk rows → references → wake → `queued`. `written`
 * has those of the index when the caller has just accepted them; without, they are read from the payload, and all are put
 * (again).
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

/** Pending rows on their way into the queues. */
export interface Entering {
  /** Rows whose first transaction has just been written; none = resume. */
  chunks: ChunkRow[];
  /** The batch row's ETag by that transaction. */
  etag?: string;
  /** All rows of the revision, as the stored blob says. */
  resume: () => Promise<ChunkRow[]>;
  /** What the caller does for the batch after this; default nothing. */
  after?: Operations;
  /** What no meter counts, asked for when the row is written; default nothing. */
  uncounted?: () => Operations;
}

/**
 * Brings the rows of an accepted revision, of an upload or of a redrive, into their queues. A redrive, and what is resumed,
 * always wakes them. The state changes only in the
 * revision that was read: who was held up here must not call a later one queued.
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
    // With all that the caller has done before, and this write itself.
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

/** The chunk index of a batch's payload. */
export async function readChunkIndex(deps: Pick<ContinueDeps, 'container'>, batch: BatchRow): Promise<ChunkEntry[]> {
  const blob = deps.container(CONTAINERS.payloads).getBlobClient(batch.payload);
  const bytes = await downloadBytes(blob, { offset: batch.indexOffset, count: batch.indexLength });
  if (bytes.length !== batch.indexLength) throw new FrameError(`The index of payload ${batch.payload} is cut short.`);
  return readIndex(bytes);
}
