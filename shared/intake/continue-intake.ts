/** The part of intake after acceptance. It is idempotent, so a retry or the sweep can continue from the batch row. */
import type { BatchRow } from '../batches/batch-row.ts';
import type { ChunkRow, ChunkRows } from '../batches/chunk-row.ts';
import { changeFrom, insertChunks, MAX_CHUNK_ROWS_PER_TRANSACTION, requireBatch } from '../batches/ledger.ts';
import type { BatchStore } from '../batches/remove-batch.ts';
import { chunkId } from '../contract/names.ts';
import type { ChunkEntry } from '../contract/payload-index.ts';
import { groupsOfSource } from '../groups-of.ts';
import { type EnqueueDeps, enqueue } from '../queues/enqueue.ts';
import { type ChunkIndex, openChunkIndex } from './store/chunk-index.ts';

export interface ContinueDeps extends EnqueueDeps, BatchStore {
  /** Rows that are inserted, put and recorded together. Defaults to ROWS_PER_PIECE. */
  rowsPerPiece?: number;
}

/** Creates the pending rows of the chunks of a payload from chunk number `first` on (default 0), while its index is read. */
export async function* rowsOfIndex(batch: BatchRow, index: ChunkIndex, first = 0): AsyncGenerator<ChunkRow> {
  let position = first;
  for await (const entry of index.entries(first)) yield chunkRowOf(batch, entry, position++);
}

/** Creates the pending row of a chunk: a pure function of the batch row and the index. */
export function chunkRowOf(batch: BatchRow, entry: ChunkEntry, position: number): ChunkRow {
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
 * state to `queued`. `index`: of the payload, if it is open already.
 */
export function continueIntake(
  deps: ContinueDeps,
  batch: BatchRow,
  { index, ...entering }: Omit<Entering, 'rows'> & { index?: ChunkIndex } = {},
): Promise<BatchRow> {
  const opening = index ? Promise.resolve(index) : openChunkIndex(deps, batch);
  const rows = async function* (first: number): AsyncGenerator<ChunkRow> {
    yield* rowsOfIndex(batch, await opening, first);
  };
  return enterQueues(deps, batch, { ...entering, rows });
}

export interface Entering {
  /** Reads the rows of the revision from number `first` on. */
  rows: (first: number) => ChunkRows;
  /** Whether the transaction that has just been written has inserted the first of them. Default false: resume. */
  isBegun?: boolean;
  /** ETag of the batch row after that transaction. */
  etag?: string;
  /** Service time after which no further piece begins: then the sweep continues. Default: in a minute. */
  untilMs?: number;
}

/** At a thousand puts per second, a piece takes three seconds. A batch of one piece needs no write for its progress. */
const ROWS_PER_PIECE = 30 * MAX_CHUNK_ROWS_PER_TRANSACTION;
/** A request must be answered within 230 s, and the selection of a redrive may have taken 120 of them. */
const BUDGET_MS = 60_000;

/**
 * Enters the rows of an accepted revision (an upload or a redrive) into their queues, and returns the batch: `queued`, or
 * still `enqueueing` if the time was over after some pieces. The progress is recorded after all puts and wakes of a piece:
 * after a crash, some references are put twice, and none is skipped. A redrive and a resumed intake always send wake events.
 * The state changes only in the revision that was read: a caller that was delayed here must not mark a later revision as
 * queued.
 */
export async function enterQueues(deps: ContinueDeps, batch: BatchRow, entering: Entering): Promise<BatchRow> {
  const { rows, isBegun = false, etag, untilMs = deps.gate.now() + BUDGET_MS } = entering;
  let known = etag === undefined ? undefined : { row: batch, etag };
  /** Returns false if the batch is no longer being enqueued. */
  const change = async (fields: (now: BatchRow) => Partial<BatchRow>): Promise<boolean> => {
    const begun = known ?? (await requireBatch(deps.table, batch.id));
    const changed = await changeFrom(deps.table, begun, (now) =>
      now.state === 'enqueueing' && now.revision === batch.revision ? fields(now) : undefined,
    );
    known = changed ?? begun;
    return changed !== undefined;
  };
  const size = deps.rowsPerPiece ?? ROWS_PER_PIECE;
  const first = batch.enqueuedTo ?? 0;
  let done = first;
  for await (const piece of groupsOfSource(rows(first), size)) {
    if (done > first) {
      const isEnqueueing = await change(({ enqueuedTo = 0 }) => ({ enqueuedTo: Math.max(enqueuedTo, done) }));
      if (!isEnqueueing || deps.gate.now() >= untilMs) return known?.row ?? batch;
    }
    await insertChunks(deps.table, isBegun && done === 0 ? piece.slice(MAX_CHUNK_ROWS_PER_TRANSACTION) : piece);
    await enqueue(deps, batch, piece, { resent: !isBegun, isUpload: batch.revision === 0 && isBegun });
    done += piece.length;
  }
  const queuedAt = batch.queuedAt ?? new Date(deps.gate.now()).toISOString();
  await change(() => ({ state: 'queued', queuedAt, enqueuedTo: undefined }));
  return known?.row ?? batch;
}
