import { type BatchRow, type BatchState, isFinished } from '../batches/batch-row.ts';
import { readBatch } from '../batches/ledger.ts';
import type { Table } from '../storage/table.ts';

/** What a worker has to know of the batch of a chunk. */
export type BatchFacts = Pick<BatchRow, 'state' | 'deadlineAt'>;

/** Reads what is known of a batch; undefined = there is no such batch (any more). */
export type ReadBatchFacts = (batch: string) => Promise<BatchFacts | undefined>;

/** Whether chunks of a batch in this state are run. Any other state ends them unrun. */
export const isUnderWay = (state: BatchState | undefined): boolean =>
  state !== undefined && state !== 'cancelling' && !isFinished(state);

/**
 * Makes the reader of batches for one slice: a batch is read once in it while work goes on. A state that ends chunks unrun
 * must not be older than their references, since a finished batch may have been redriven meanwhile: such a batch is read
 * again each time, as is one that is not there, or could not be read. `cancelsSeen` counts how often this process has
 * found a batch to be cancelled: what was read before the latest of them is read again.
 */
export function createBatchStates(table: Table, cancelsSeen: () => number): ReadBatchFacts {
  const known = new Map<string, Promise<BatchFacts | undefined>>();
  let knownSince = cancelsSeen();
  return async (batch) => {
    if (knownSince !== cancelsSeen()) known.clear();
    knownSince = cancelsSeen();
    const reading = known.get(batch) ?? readBatchFacts(table, batch);
    known.set(batch, reading);
    let isKept = false;
    try {
      const facts = await reading;
      isKept = isUnderWay(facts?.state);
      return facts;
    } finally {
      if (!isKept) known.delete(batch);
    }
  };
}

/** Reads a batch's row past every cache. */
export async function readBatchFacts(table: Table, batch: string): Promise<BatchFacts | undefined> {
  const found = await readBatch(table, batch);
  return found && { state: found.row.state, deadlineAt: found.row.deadlineAt };
}
