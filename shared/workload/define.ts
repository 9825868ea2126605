import type { StandardSchemaV1 } from '@standard-schema/spec';
import { checkDefinition, MAX_SECONDS_PER_CHUNK } from './check-definition.ts';
import type { RateLimit, RetryPolicy, Workload, WorkloadOptions } from './workload-options.ts';

export type * from './workload-options.ts';

const MiB = 1024 * 1024;

const DEFAULT_RETRY: RetryPolicy = {
  attempts: 5,
  firstDelaySeconds: 1,
  factor: 2,
  maxDelaySeconds: 900,
  jitter: 0.2,
};

/**
 * Defines a workload: the only call that a file in `workloads/` makes. workload-options.ts documents each option.
 * @throws WorkloadDefinitionError with the invalid field, the expected value and the received one.
 */
export function defineWorkload<Schema extends StandardSchemaV1, Result, Acc = never, Row = Acc>(
  options: WorkloadOptions<Schema, Result, Acc, Row>,
): Workload {
  const lanes = options.lanes ?? ['normal'];
  const [firstLane = ''] = lanes;
  const { reduce, ...rest } = options;
  const chunk = { maxItems: defaultChunkItems(options), maxBytes: MiB, ...options.chunk };
  const concurrency = options.concurrency ?? 16;
  const group = { maxItems: defaultGroupItems(options, chunk.maxItems), ...('group' in options ? options.group : {}) };
  const calls = 'mapChunk' in options ? Math.ceil(chunk.maxItems / group.maxItems) : chunk.maxItems;
  const workload = {
    ...rest,
    ...(reduce === undefined
      ? {}
      : { reduce: { maxKeys: 100_000, finish: (_key: string, acc: Acc) => acc, ...reduce } }),
    chunk,
    concurrency,
    group,
    retry: { ...DEFAULT_RETRY, ...options.retry },
    timeoutSeconds: options.timeoutSeconds ?? 60,
    secondsPerChunk: options.secondsPerChunk ?? expectedSeconds(options, { calls, concurrency }),
    lanes,
    lane: options.lane ?? (() => firstLane),
    queuesPerLane: options.queuesPerLane ?? 1,
    pool: options.pool ?? 'default',
    containers: options.containers ?? [],
    inbox: { repeatedContent: 'report', ...options.inbox },
    halt: options.halt,
    deadlineSeconds: options.deadlineSeconds ?? 300,
    retentionDays: options.retentionDays ?? 30,
    validateAtIntake: options.validateAtIntake ?? false,
    resultsReady: options.resultsReady ?? false,
  } as unknown as Workload; // Items and results are opaque to the pipeline.
  checkDefinition(workload);
  return Object.freeze(workload);
}

const MAX_ITEMS = 5_000;
/** A thread finishes its chunk before it starts one of an urgent lane, so a chunk must not wait longer for the rate. */
const SECONDS_OF_RATE = 10;

interface Sizes {
  rateLimit?: RateLimit;
  maxConcurrency?: number;
  mapChunk?: unknown;
  group?: { maxItems?: number };
}

/** With a slow rate, a chunk of thousands of items would occupy its message, its thread and its task for hours. */
function defaultChunkItems({ rateLimit, mapChunk, group }: Sizes): number {
  if (rateLimit === undefined) return MAX_ITEMS;
  const perCall = mapChunk === undefined ? 1 : (group?.maxItems ?? MAX_ITEMS);
  const perPeriod = 'items' in rateLimit ? rateLimit.items : rateLimit.calls * perCall;
  const items = Math.ceil((perPeriod * SECONDS_OF_RATE) / rateLimit.perSeconds);
  return Math.min(MAX_ITEMS, Math.max(group?.maxItems ?? 1, items));
}

/** Returns the size of the chunk, or the number of items that the limits allow in one call if that is less. */
function defaultGroupItems({ rateLimit, maxConcurrency = MAX_ITEMS, mapChunk }: Sizes, chunkItems: number): number {
  if (mapChunk === undefined) return chunkItems;
  return Math.min(chunkItems, maxConcurrency, rateLimit && 'items' in rateLimit ? rateLimit.items : chunkItems);
}

const SECONDS_PER_CHUNK = 0.1;
/** Estimated duration of an asynchronous call: a request that writes to a service in the same region. */
const SECONDS_PER_CALL = 0.05;

/** Estimates the duration of a chunk, by which the first wave is sized: chunks of asynchronous calls take long. */
function expectedSeconds(
  handlers: { map?: unknown; mapChunk?: unknown },
  { calls, concurrency }: { calls: number; concurrency: number },
): number {
  const isAsync = (handlers.map ?? handlers.mapChunk)?.constructor.name === 'AsyncFunction';
  const seconds = isAsync ? (calls * SECONDS_PER_CALL) / concurrency : 0;
  return Math.min(MAX_SECONDS_PER_CHUNK, Math.max(SECONDS_PER_CHUNK, seconds));
}
