/**
 * What a process spends and stores for no batch, by name: its overheads and the `operations` of all batch rows add up to
 * everything that storage has counted.
 */
import { addOperations, type Operations } from '../contract/operations.ts';
import { asInvocation } from './account.ts';

/**
 * `requests` is what requests spend beyond what they store for batches: reads, listings, commands on queues. `drains` is
 * what serves all batches of a queue: wakes, receives, heartbeats, result messages, ends of waves.
 */
export type OverheadName = 'requests' | 'drains' | 'sweep' | 'inbox';

export type Overhead = ReturnType<typeof createOverhead>;

/** Creates the overhead of a process since its start. */
export function createOverhead() {
  const totals: Record<OverheadName, Operations> = { requests: {}, drains: {}, sweep: {}, inbox: {} };
  return {
    /** Runs an invocation, and adds what it does not store for batches, also if it throws, and what it leaves running. */
    within: <T>(name: OverheadName, work: () => Promise<T>): Promise<T> =>
      asInvocation(work, (operations) => {
        totals[name] = addOperations(totals[name], operations);
      }),
    totals: () => ({ ...totals }),
  };
}
