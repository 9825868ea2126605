/**
 * Counts the billed operations that this process causes, and keeps the service's clock, by a policy in the pipelines of
 * the storage SDKs. The policy stands behind the retry policy, so that each try is counted: a request that was retried
 * after a 503 is two. A try without an answer is counted too, since the service may have served it: the count is an
 * upper bound.
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

/** How many tries of requests to storage have ended, and their total time in milliseconds. */
export interface ResponseTimes {
  count: number;
  ms: number;
}

/** What a function returned, and the operations done meanwhile on its behalf. */
export interface Measured<T> {
  value: T;
  operations: Operations;
  /** Those of them that nobody has recorded yet (`Meter.record`). */
  unrecorded: Operations;
  /** Of each try, from sending it to the headers of its response or its failure, without waits between tries. */
  responses: ResponseTimes;
}

/** Counts operations of this process. */
export interface Meter {
  /** The counting policy for the pipeline of a client; it belongs behind the policy that repeats calls. */
  policy(service: StorageService): PipelinePolicy;
  /** Counts what no pipeline sees: `servicebus.*` and `durable.*`. `n` defaults to 1. */
  count(operation: OperationName, n?: number): void;
  /** Everything counted since the meter was made. */
  total(): Operations;
  /**
   * Runs `fn` and reports what was done inside, also by what it awaits; nested measures count in the outer ones too. When
   * `fn` throws, so does this, and the operations are in the outer scopes and the total only.
   */
  measure<T>(fn: () => Promise<T>): Promise<Measured<T>>;
  /**
   * Says that operations of the present `measure` are recorded where they are charged: in a batch row, in a message to
   * one, or in the gate of a queue. May run ahead of the operations, for a write that records itself; negative counts
   * say that more is to be recorded than was done here. Without effect outside of `measure`.
   */
  record(operations: Operations): void;
  /** What the present `measure` has done and nobody has recorded; nothing outside of one. */
  unrecorded(): Operations;
  /** The time by the storage service in ms since 1970; the local clock's before the first response. */
  serviceNowMs(): number;
  /** Whether a response has come, so that `serviceNowMs` is the service's time. */
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

/** Sends one try of a request, and sees it go and come back. */
type Pass = <R extends Answer>(service: StorageService, request: RequestShape, send: () => Promise<R>) => Promise<R>;

function policyOf(service: StorageService, pass: Pass): PipelinePolicy {
  return {
    name: `sluice-meter-${service}`,
    sendRequest: (request, next) => pass(service, request, () => next(request)),
  };
}

/** Answers of a service that was too busy: no billed operation, but what the drain steps down for. */
export const THROTTLED = 'throttled.responses';

/** Counts and clocks each try of a request. */
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
      // A try that failed without a response counts, too: a time-out is the slowest of all.
      addResponse(own, monotonicMs() - sentAtMs);
    }
  };
}

const LOCAL_CLOCKS: LocalClocks = { monotonicMs: () => performance.now(), wallMs: () => Date.now() };

/** Makes a meter: one per process, or the totals of two have to be added. */
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
