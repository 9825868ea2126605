/**
 * Counts the billed operations of this process, and keeps the service clock, with a policy in the pipelines of the
 * storage SDKs. The policy runs after the retry policy, so each try is counted: a request that was retried after a 503
 * counts twice. A try without a response also counts, because the service may have executed it. The count is an upper
 * bound.
 */
import type { TableServiceClientOptions } from '@azure/data-tables';
import { addOperations, type Operations } from '../contract/operations.ts';
import { addResponse, addSpent } from './account.ts';
import { operationOf, type StorageService } from './operation-of.ts';
import { createServiceClock, type LocalClocks } from './service-clock.ts';

export type PipelinePolicy = NonNullable<TableServiceClientOptions['additionalPolicies']>[number]['policy'];

/** Counts operations of this process, each for the account on whose behalf it is made (account.ts). */
export type Meter = ReturnType<typeof createMeter>;

/** Responses of a service that was too busy: not billed, but a reason for a drain to reduce its tasks. */
export const THROTTLED = 'throttled.responses';

const LOCAL_CLOCKS: LocalClocks = { monotonicMs: () => performance.now(), wallMs: () => Date.now() };

/** Creates a meter. Use one per process: several would have to be added up. */
export function createMeter(local: LocalClocks = LOCAL_CLOCKS) {
  let total: Operations = {};
  const clock = createServiceClock(local);
  const count = (operation: string, n = 1): void => {
    total = addOperations(total, { [operation]: n });
    addSpent({ [operation]: n });
  };
  return {
    /** Returns the counting policy for the pipeline of a client. It must run after the policy that repeats calls. */
    policy: (service: StorageService): PipelinePolicy => ({
      name: `sluice-meter-${service}`,
      sendRequest: async (request, next) => {
        count(operationOf(service, request));
        const sentAtMs = local.monotonicMs();
        let isThrottled = false;
        try {
          const response = await next(request);
          clock.observe(response.headers.get('date'), sentAtMs);
          isThrottled = response.status === 503 || response.status === 429;
          if (isThrottled) count(THROTTLED);
          return response;
        } finally {
          // A try that failed without a response also counts: a timeout is the longest response time.
          addResponse(local.monotonicMs() - sentAtMs, isThrottled);
        }
      },
    }),
    /** Counts operations that no pipeline sees, such as `servicebus.send` or `durable.start`. `n` defaults to 1. */
    count,
    total: (): Operations => ({ ...total }),
    /** Returns the time of the storage service in ms since 1970, or of the local clock before the first response. */
    serviceNowMs: clock.nowMs,
    /** Whether a response has arrived, so that `serviceNowMs` is the service's time. */
    knowsServiceTime: clock.isSet,
  };
}
