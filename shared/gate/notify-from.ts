import { toError } from '../errors.ts';
import type { Table } from '../storage/table.ts';
import { log } from '../telemetry/log.ts';
import type { Policy } from './policy.ts';
import { readStoredPolicies } from './policy-store.ts';

/** How long a process uses policies that it has read: at most one query per minute, for any number of uploads. */
const POLICIES_MS = 60_000;

export interface NotifyFromDeps {
  table: Table;
  depthOf: (queue: string) => Promise<number>;
  nowMs: () => number;
}

/**
 * Creates the check that uploads use. A queue without `notifyFrom` is woken by each upload, without a further
 * operation. A queue with it is measured by one operation, and woken if it holds at least that many messages. If the
 * policies or the depth cannot be read, the queue is woken: an unnecessary drain costs less than work that waits for
 * the sweep.
 */
export function createNeedsWake({ table, depthOf, nowMs }: NotifyFromDeps): (queue: string) => Promise<boolean> {
  let known: { readMs: number; policies: Promise<Map<string, Policy>> } | undefined;
  return async (queue) => {
    try {
      if (known === undefined || nowMs() - known.readMs >= POLICIES_MS) {
        known = { readMs: nowMs(), policies: readStoredPolicies(table) };
      }
      const { notifyFrom } = (await known.policies).get(queue) ?? {};
      return notifyFrom === undefined || (await depthOf(queue)) >= notifyFrom;
    } catch (error) {
      known = undefined;
      log.warn('depth-not-compared', { queue, error: toError(error) });
      return true;
    }
  };
}
