/**
 * What a process spends on neither a batch nor a drain. It is recorded by name, so that receipts and overhead add up to
 * everything that the process has spent.
 */
import { addOperations, type Operations } from '../contract/operations.ts';
import type { Meter } from './meter.ts';

/** `requests` is what requests spend beyond what they record for batches: reads, listings, commands on queues. */
export const OVERHEADS = ['requests', 'sweep', 'inbox'] as const;
export type OverheadName = (typeof OVERHEADS)[number];

/** The overhead of a process since its start. */
export interface Overhead {
  add: (name: OverheadName, operations: Operations) => void;
  /** Runs `work` and adds its operations that were not recorded, even if it throws. */
  within: <T>(name: OverheadName, work: () => Promise<T>) => Promise<T>;
  totals: () => Record<OverheadName, Operations>;
}

/** Creates the overhead of a process. */
export function createOverhead(meter: Pick<Meter, 'measure' | 'unrecorded'>): Overhead {
  const totals: Record<OverheadName, Operations> = { requests: {}, sweep: {}, inbox: {} };
  const add = (name: OverheadName, operations: Operations): void => {
    totals[name] = addOperations(totals[name], operations);
  };
  return {
    add,
    within: async (name, work) => {
      const { value } = await meter.measure(async () => {
        try {
          return await work();
        } finally {
          add(name, meter.unrecorded());
        }
      });
      return value;
    },
    totals: () => ({ ...totals }),
  };
}
