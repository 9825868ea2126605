/** What a process does for no batch and no drain: named, so that receipts and this come to all that it has done. */
import { addOperations, type Operations } from '../contract/operations.ts';
import type { Meter } from './meter.ts';

/** `requests` is what requests do beside what they record for batches: reads, listings, commands on queues. */
export const OVERHEADS = ['requests', 'sweep', 'inbox'] as const;
export type OverheadName = (typeof OVERHEADS)[number];

/** The overhead of a process, since its start. */
export interface Overhead {
  add: (name: OverheadName, operations: Operations) => void;
  /** Runs work, and adds what it has done and not recorded, also when it throws. */
  within: <T>(name: OverheadName, work: () => Promise<T>) => Promise<T>;
  totals: () => Record<OverheadName, Operations>;
}

/** Makes the overhead of a process. */
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
