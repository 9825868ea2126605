/** The limits of all workloads in one process: one quota per workload that has limits. */
import type { Workload } from '../workload/define.ts';
import { limitOf } from '../workload/limit.ts';
import type { QueueAddress } from '../workload/registry.ts';
import type { Permits } from './permits.ts';
import { type Entry, Quota, type QuotaDeps } from './quota.ts';

export interface Limiter {
  /** Enters a queue's workload before a receive. Costs one operation unless the process has a valid lease. */
  enter: (address: Pick<QueueAddress, 'queue' | 'workload'>) => Promise<Entry>;
  /** The permits of a workload that was entered; undefined if it has no limits. */
  permitsOf: (workload: Workload) => Permits | undefined;
  /** Whether the process has lost its share: messages that have not started should be returned to the queue. */
  isStarved: (workload: Workload) => boolean;
  /** Releases all shares for other processes; never rejects. */
  close: () => Promise<void>;
}

/** Creates the limiter of a process. Its timers run only while dequeue tasks of a limited workload run. */
export function createLimiter(deps: QuotaDeps): Limiter {
  const quotas = new Map<string, Quota>();
  const quotaOf = (workload: Workload): Quota | undefined => {
    const limit = limitOf(workload);
    if (limit === undefined) return undefined;
    const quota = quotas.get(workload.name) ?? new Quota(workload, limit, deps);
    quotas.set(workload.name, quota);
    return quota;
  };
  return {
    enter: async ({ queue, workload }) => {
      const quota = quotaOf(workload);
      return quota === undefined ? { leave: async () => {} } : quota.enter(queue);
    },
    permitsOf: (workload) => quotaOf(workload)?.pacer.permits,
    isStarved: (workload) => quotas.get(workload.name)?.pacer.isStarved ?? false,
    close: async () => {
      await Promise.all([...quotas.values()].map((quota) => quota.close()));
    },
  };
}
