import { type BatchState, isFinished } from '../batches/batch-row.ts';
import { readBatch } from '../batches/ledger.ts';
import type { Table } from '../storage/table.ts';

/**
 * Makes the reader of batch states for one slice: the state of a batch is read once in it while work goes on. A state
 * that ends chunks unrun must not be older than their references, since a finished batch may have been redriven meanwhile:
 * such a state is read again each time, as is a batch that is not there, or could not be read.
 */
export function createBatchStates(table: Table): (batch: string) => Promise<BatchState | undefined> {
  const states = new Map<string, Promise<BatchState | undefined>>();
  const read = async (batch: string) => (await readBatch(table, batch))?.row.state;
  return async (batch) => {
    const reading = states.get(batch) ?? read(batch);
    states.set(batch, reading);
    let isKept = false;
    try {
      const state = await reading;
      isKept = state !== undefined && state !== 'cancelling' && !isFinished(state);
      return state;
    } finally {
      if (!isKept) states.delete(batch);
    }
  };
}
