/**
 * Counts the billed operations of this process, and keeps the service clock, with a policy in the pipelines of the
 * storage SDKs. The policy runs after the retry policy, so each try is counted: a request that was retried after a 503
 * counts twice. A try without a response also counts, because the service may have executed it. The count is an upper
 * bound.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { TableServiceClientOptions } from '@azure/data-tables';
import { type Operations, subtractOperations } from '../contract/operations.ts';
import { operationOf, type RequestShape, type StorageService } from './operation-of.ts';
import { createServiceClock, type LocalClocks, type ServiceClock } from './service-clock.ts';

/** A policy of the Azure SDK pipeline. */
export type PipelinePolicy = NonNullable<TableServiceClientOptions['additionalPolicies']>[number]['policy'];

/** `<service>.<operation>`, such as `servicebus.send` or `durable.activity`. */
export type OperationName = `${string}.${string}`;

/** Number of finished tries of storage requests, and their total time in milliseconds. */
export interface ResponseTimes {
  count: number;
  ms: number;
}

/** The result of a function, and the operations that were made on its behalf while it ran. */
export interface Measured<T> {
  value: T;
  operations: Operations;
  /** Those of the operations that were not yet recorded (`Meter.record`). */
  unrecorded: Operations;
  /**
   * Times of each try, from sending it until the headers of its response or its error, without the waits between tries.
   */
  responses: ResponseTimes;
}

/** Counts operations of this process. */
export interface Meter {
  /** Returns the counting policy for the pipeline of a client. It must run after the policy that repeats calls. */
  policy(service: StorageService): PipelinePolicy;
  /** Counts operations that no pipeline sees: `servicebus.*` and `durable.*`. `n` defaults to 1. */
  count(operation: OperationName, n?: number): void;
  /** Returns everything counted since the meter was created. */
  total(): Operations;
  /**
   * Runs `fn` and returns the operations made by it and by everything it awaits. Nested measurements also count in the
   * outer ones. If `fn` throws, `measure` throws too, and the operations count only in the outer scopes and the total.
   */
  measure<T>(fn: () => Promise<T>): Promise<Measured<T>>;
  /**
   * Marks operations of the current `measure` as recorded where they are charged: in a batch row, in a message about a
   * batch, or in the gate of a queue. It may be called before the operations are made, for a write that records itself.
   * Negative counts mean that more must be recorded than was done here. Has no effect outside of `measure`.
   */
  record(operations: Operations): void;
  /** Returns the operations of the current `measure` that were not recorded; outside of one, none. */
  unrecorded(): Operations;
  /** Returns the time of the storage service in ms since 1970, or of the local clock before the first response. */
  serviceNowMs(): number;
  /** Whether a response has arrived, so that `serviceNowMs` is the service's time. */
  knowsServiceTime(): boolean;
}

interface Scope {
  readonly counts: Operations;
  readonly recorded: Operations;
  readonly responses: ResponseTimes;
  readonly outer: Scope | undefined;
}

const newScope = (outer: Scope | undefined): Scope => ({
  ...{ counts: {}, recorded: {}, outer },
  responses: { count: 0, ms: 0 },
});

function addTo(scope: Scope, operation: string, n: number, to: 'counts' | 'recorded' = 'counts'): void {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
    at[to][operation] = (at[to][operation] ?? 0) + n;
  }
}

function addResponse(scope: Scope, ms: number): void {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
    at.responses.count += 1;
    at.responses.ms += ms;
  }
}

type Answer = { status: number; headers: { get(name: string): string | undefined } };

/** Sends one try of a request, and observes the request and the response. */
type Pass = <R extends Answer>(service: StorageService, request: RequestShape, send: () => Promise<R>) => Promise<R>;

function policyOf(service: StorageService, pass: Pass): PipelinePolicy {
  return {
    name: `sluice-meter-${service}`,
    sendRequest: (request, next) => pass(service, request, () => next(request)),
  };
}

/** Responses of a service that was too busy: not billed, but a reason for a drain to reduce its tasks. */
export const THROTTLED = 'throttled.responses';

/** Counts each try of a request, and measures its time. */
function createPass(scope: () => Scope, clock: ServiceClock, monotonicMs: () => number): Pass {
  return async (service, request, send) => {
    const own = scope();
    addTo(own, operationOf(service, request), 1);
    const sentAtMs = monotonicMs();
    try {
      const response = await send();
      clock.observe(response.headers.get('date'), sentAtMs);
      if (response.status === 503 || response.status === 429) addTo(own, THROTTLED, 1);
      return response;
    } finally {
      // A try that failed without a response also counts: a timeout is the longest response time.
      addResponse(own, monotonicMs() - sentAtMs);
    }
  };
}

const LOCAL_CLOCKS: LocalClocks = { monotonicMs: () => performance.now(), wallMs: () => Date.now() };

/** Creates a meter. Use one per process: several would have to be added up. */
export function createMeter(local: LocalClocks = LOCAL_CLOCKS): Meter {
  const everything = newScope(undefined);
  const scopes = new AsyncLocalStorage<Scope>();
  const clock = createServiceClock(local);
  const scope = () => scopes.getStore() ?? everything;
  const pass = createPass(scope, clock, local.monotonicMs);

  return {
    policy: (service) => policyOf(service, pass),
    count: (operation, n = 1) => addTo(scope(), operation, n),
    total: () => ({ ...everything.counts }),
    async measure(fn) {
      const inner = newScope(scope());
      const value = await scopes.run(inner, fn);
      const unrecorded = subtractOperations(inner.counts, inner.recorded);
      return { value, operations: { ...inner.counts }, unrecorded, responses: { ...inner.responses } };
    },
    record: (operations) => {
      const own = scopes.getStore();
      if (own) for (const [name, n] of Object.entries(operations)) addTo(own, name, n, 'recorded');
    },
    unrecorded: () => {
      const own = scopes.getStore();
      return own ? subtractOperations(own.counts, own.recorded) : {};
    },
    serviceNowMs: () => clock.nowMs(),
    knowsServiceTime: () => clock.isSet(),
  };
}
