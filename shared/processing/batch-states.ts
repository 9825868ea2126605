import { type ApplyRead, readForApply } from '../batches/apply/read-for-apply.ts';
import { type BatchRow, type BatchState, isFinished } from '../batches/batch-row.ts';
import { readBatch } from '../batches/ledger.ts';
import { chunkId } from '../contract/names.ts';
import type { Table } from '../storage/table.ts';

/** What a worker has to know of the batch of a chunk. */
export interface BatchFacts extends Pick<BatchRow, 'state' | 'deadlineAt' | 'resumes'> {
  /** Chunks without an end, of a small batch: whoever ends the last of them collects them, too. Absent of larger ones. */
  pending?: number | undefined;
  /** What was read for it, with the row of its only chunk: its collector need not read it again. */
  read?: ApplyRead | undefined;
}

/**
 * Reads what is known of a batch, for one of its chunks, by one operation; undefined = there is no such batch (any more).
 * With the first chunk its row is read, too: a small batch has no other.
 */
export type ReadBatchFacts = (batch: string, chunk: string) => Promise<BatchFacts | undefined>;

/**
 * Whether chunks of a batch in this state are run. In any other, references are deleted unrun, or end their chunks
 * unrun.
 */
export const isUnderWay = (state: BatchState | undefined): boolean =>
  state !== undefined && state !== 'paused' && state !== 'cancelling' && !isFinished(state);

/**
 * Makes the reader of batches for one slice: a batch is read once in it while work goes on. A state in which chunks are not
 * run must not be older than their references, since a finished batch may have been redriven meanwhile, and a paused one
 * resumed: such a batch is read again each time, as is one that is not there, or could not be read. For the same reason a
 * read that had begun before it was asked for counts only if it says that work goes on. `changesSeen` counts how often this
 * process has found a batch that is not under way any more: what was read before the latest of them is read again.
 * `maxChunksCollected`: of a batch that is collected where its last chunk has run.
 */
export function createBatchStates(table: Table, changesSeen: () => number, maxChunksCollected: number): ReadBatchFacts {
  const known = new Map<string, Promise<BatchFacts | undefined>>();
  let knownSince = changesSeen();
  const read = async (batch: string, chunk: string): Promise<BatchFacts | undefined> => {
    const reading = readBatchFacts(table, { batch, chunk, maxChunksCollected });
    known.set(batch, reading);
    let isKept = false;
    try {
      const facts = await reading;
      isKept = isUnderWay(facts?.state);
      return facts;
    } finally {
      if (!isKept && known.get(batch) === reading) known.delete(batch);
    }
  };
  return async (batch, chunk) => {
    if (knownSince !== changesSeen()) known.clear();
    knownSince = changesSeen();
    const begun = known.get(batch);
    if (!begun) return read(batch, chunk);
    const facts = await begun.catch(() => undefined);
    if (isUnderWay(facts?.state)) return facts;
    // Another one that waited for the same read may be ahead: its own has begun after this call, too.
    const newer = known.get(batch);
    return newer === undefined || newer === begun ? read(batch, chunk) : newer;
  };
}

const FIRST_CHUNK = chunkId(0);

interface FactsQuery {
  batch: string;
  chunk: string;
  maxChunksCollected: number;
}

async function readBatchFacts(
  table: Table,
  { batch, chunk, maxChunksCollected }: FactsQuery,
): Promise<BatchFacts | undefined> {
  const isFirst = chunk === FIRST_CHUNK && maxChunksCollected > 0;
  const read = isFirst ? await readForApply(table, batch, [chunk]) : undefined;
  const found = isFirst ? read?.batch : await readBatch(table, batch);
  if (!found) return undefined;
  const { state, deadlineAt, resumes, chunksTotal, chunksDone } = found.row;
  return {
    ...{ state, deadlineAt },
    ...(resumes === undefined ? {} : { resumes }),
    ...(chunksTotal > maxChunksCollected ? {} : { pending: chunksTotal - chunksDone }),
    ...(chunksTotal === 1 && read ? { read } : {}),
  };
}
