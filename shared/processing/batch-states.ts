import { type ApplyRead, readForApply } from '../batches/apply/read-for-apply.ts';
import { type BatchRow, type BatchState, isFinished } from '../batches/batch-row.ts';
import { readBatch } from '../batches/ledger.ts';
import { chunkId } from '../contract/names.ts';
import type { Table } from '../storage/table.ts';

/** The facts that a worker needs about the batch of a chunk. */
export interface BatchFacts extends Pick<BatchRow, 'state' | 'deadlineAt' | 'resumes'> {
  /** Number of pending chunks, of small batches only: the worker that ends the last one also collects the batch. */
  pending?: number | undefined;
  /** The rows of the batch and of its only chunk, as they were read: the collector need not read them again. */
  read?: ApplyRead | undefined;
}

/**
 * Reads the facts of a batch for one of its chunks, with one operation; undefined if the batch does not exist (any more).
 * For the first chunk, also reads the chunk row, because a small batch may have no other chunk.
 */
export type ReadBatchFacts = (batch: string, chunk: string) => Promise<BatchFacts | undefined>;

/**
 * Returns whether chunks of a batch in this state are run. In all other states, a reference is deleted, or its chunk
 * ends, without a run.
 */
export const isUnderWay = (state: BatchState | undefined): boolean =>
  state !== undefined && state !== 'paused' && state !== 'cancelling' && !isFinished(state);

/**
 * Creates the reader of batches for one slice. While a batch is under way, it is read once per slice. A state in which
 * chunks do not run must not be older than the reference, because a finished batch may have been redriven meanwhile, and
 * a paused one resumed. So such a batch is read again each time, as is one that does not exist or could not be read. For
 * the same reason, a read that began before the call counts only if the batch is under way. `changesSeen` counts how
 * often this process has found a batch that is no longer under way; everything read before the latest of these is read
 * again. `maxChunksCollected` is the maximum number of chunks of a batch that is collected where its last chunk has run.
 */
export function createBatchStates(table: Table, changesSeen: () => number, maxChunksCollected: number): ReadBatchFacts {
  const known = new Map<string, Promise<BatchFacts | undefined>>();
  let knownSince = changesSeen();
  const read = (batch: string, chunk: string): Promise<BatchFacts | undefined> => {
    const reading = readBatchFacts(table, { batch, chunk, maxChunksCollected });
    known.set(batch, reading);
    return reading;
  };
  return async (batch, chunk) => {
    if (knownSince !== changesSeen()) known.clear();
    knownSince = changesSeen();
    const begun = known.get(batch);
    if (!begun) return read(batch, chunk);
    const facts = await begun.catch(() => undefined);
    if (isUnderWay(facts?.state)) return facts;
    // Another caller that waited for the same read may be ahead. Its read has also begun after this call.
    const newer = known.get(batch);
    return newer === undefined || newer === begun ? read(batch, chunk) : newer;
  };
}

const FIRST_CHUNK = chunkId(0);

async function readBatchFacts(
  table: Table,
  { batch, chunk, maxChunksCollected }: { batch: string; chunk: string; maxChunksCollected: number },
): Promise<BatchFacts | undefined> {
  const isFirst = chunk === FIRST_CHUNK && maxChunksCollected > 0;
  const read = isFirst ? await readForApply(table, batch, [chunk]) : undefined;
  const found = isFirst ? read?.batch : await readBatch(table, batch);
  // What is written to a batch that is being deleted could be left behind.
  if (!found || found.row.deletingAt !== undefined) return undefined;
  const { state, deadlineAt, resumes, chunksTotal, chunksDone } = found.row;
  return {
    ...{ state, deadlineAt, resumes },
    pending: chunksTotal > maxChunksCollected ? undefined : chunksTotal - chunksDone,
    read: chunksTotal === 1 ? read : undefined,
  };
}
