import { type BatchState, isSettled } from '../batches/batch-row.ts';
import { readBatch } from '../batches/ledger.ts';
import type { Table } from '../storage/table.ts';

/**
 * Makes the reader of batch states for one slice: the state of a batch is read once in it while work goes on. A state
 * that ends chunks unrun must not be older than their references, since a settled batch may have been redriven meanwhile:
 * such a state is read again each time, as is the absence of a batch.
 */
export function createBatchStates(table: Table): (batch: string) => Promise<BatchState | undefined> {
  const states = new Map<string, Promise<BatchState | undefined>>();
  const read = async (batch: string) => (await readBatch(table, batch))?.row.state;
  return async (batch) => {
    const known = states.get(batch) ?? read(batch);
    states.set(batch, known);
    const state = await known;
    if (state === undefined || state === 'cancelling' || isSettled(state)) states.delete(batch);
    return state;
  };
}
