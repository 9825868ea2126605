import type { StandardSchemaV1 } from '@standard-schema/spec';
import { MAX_DELAY_SECONDS } from '../contract/delay.ts';
import {
  isLaneName,
  isPoolName,
  isWorkloadName,
  MAX_QUEUE_NAME,
  queueName,
  resultsQueueName,
} from '../contract/names.ts';
import { type Container, isOwnContainerName } from './container.ts';
import { WorkloadDefinitionError } from './errors.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
const DAY_SECONDS = 86_400;

/** What a handler is given beside the item. `position` is 0-based in the batch; `attempt` is 1 at the first try. */
export interface ItemContext {
  batch: string;
  position: number;
  attempt: number;
  /** Of the item, for services that know one: the same at every attempt, redelivery and redrive. At most 53 characters. */
  idempotencyKey: string;
  /** When the batch's report is due. */
  deadline: Date;
  /** Whether the result is thrown away. Always false so far. */
  shadow: boolean;
  /**
   * Aborts when the call is given up: the item (with mapChunk: the group) has overrun `timeoutSeconds`, its batch is
   * cancelled, its instance is being stopped, or it is made again alone after an error that nobody awaited.
   */
  signal: AbortSignal;
  log: (message: string) => void;
  /** One of the workload's `containers`. Throws TypeError for a name that it does not declare. */
  container: (name: string) => Container;
}

/** A result, or the error that one item of a `mapChunk` call failed with (a Reject, a Retry or any other). */
export type ChunkOutput<Result> = Result | Error;

/**
 * Folds results into one value per key. `add` and `merge` may change and return their first argument; accs are JSON. A
 * result that belongs to several keys names them all, each once, and is added to each. All steps are synchronous; one that
 * throws makes the report fail, and no item.
 */
export interface Reduce<Result, Acc, Row = Acc> {
  key: (result: Result) => string | readonly string[];
  init: () => Acc;
  add: (acc: Acc, result: Result, key: string) => Acc;
  merge: (a: Acc, b: Acc) => Acc;
  /**
   * Makes what the report holds for a key of its merged acc, such as an average of a sum and a count. Called once per key,
   * after the last merge; pure and synchronous, and what it returns is JSON. Default: the acc itself.
   */
  finish?: (key: string, acc: Acc) => Row;
  /** Most keys of one report; default 100,000. A batch with more ends without a report, and says so. */
  maxKeys?: number;
}

/** How often and when an item is tried whose handler throws or times out. */
export interface RetryPolicy {
  /** How often the handler may run on an item before it is a dead letter, 1 to 100; default 5. */
  readonly attempts: number;
  /** Wait after the first failed attempt, at most seven days; default 1. */
  readonly firstDelaySeconds: number;
  /** By how much each further wait is longer than the one before, 1 to 10; default 2. */
  readonly factor: number;
  /** The longest wait, at least the first and at most seven days; default 900. */
  readonly maxDelaySeconds: number;
  /** Part of a wait by which it is spread to both sides, 0 to 1; default 0.2. */
  readonly jitter: number;
}

const DEFAULT_RETRY: RetryPolicy = {
  attempts: 5,
  firstDelaySeconds: 1,
  factor: 2,
  maxDelaySeconds: 900,
  jitter: 0.2,
};

/**
 * How many calls of the handler, or items, may begin per `perSeconds` (1 to 86,400). Evenly: not all at the beginning of
 * such a period.
 */
export type RateLimit =
  | { readonly calls: number; readonly perSeconds: number }
  | { readonly items: number; readonly perSeconds: number };

/** When a batch pauses by itself. */
export interface HaltRule {
  /** More than this share of the items that have ended as results or dead letters must be dead letters, 0 to 1. */
  readonly deadShare: number;
  /** So many items must have ended before: 1 to 1,000,000,000. */
  readonly after: number;
}

/** What becomes of content that came before: reported only, or refused. */
export type RepeatedContent = 'report' | 'refuse';

interface CommonOptions<Result, Acc, Row> {
  name: string;
  /** Counts up when the meaning of items or results changes; it is stored with each reference and dead letter. */
  version: number;
  reduce?: Reduce<Result, Acc, Row>;
  /**
   * Calls of an asynchronous handler in flight per thread; default 16, as many as a queue trigger of Azure Functions has
   * by default (learn: host.json, `batchSize`), so that what serves one serves this. A synchronous handler runs one.
   */
  concurrency?: number;
  /** Holds across all instances, lanes and queues of the workload. Default: no limit. */
  rateLimit?: RateLimit;
  /** Most items in flight, across all instances, lanes and queues of the workload; default: no limit. */
  maxConcurrency?: number;
  /**
   * A chunk ends at either limit; defaults 5,000 items, with a `rateLimit` what it lets begin in 10 s, and 1 MiB of
   * records.
   */
  chunk?: { maxItems?: number; maxBytes?: number };
  /** Default 5 attempts, after waits of 1, 2, 4 and 8 seconds, each spread by ±20 %. */
  retry?: Partial<RetryPolicy>;
  /**
   * Pauses a batch when too many of its items become dead letters, until an operator resumes or cancels it; default never,
   * since a batch that nobody looks after would be stranded.
   */
  halt?: HaltRule;
  /** For one item (with mapChunk: for a group); default 60. */
  timeoutSeconds?: number;
  /**
   * What a chunk is expected to take before it has been measured; default 0.1, for an `async` handler 50 ms per call
   * divided by `concurrency`.
   */
  secondsPerChunk?: number;
  /** Default ['normal']. */
  lanes?: readonly string[];
  /** The lane of a batch whose client names none; default the first lane. */
  lane?: (batch: { items: number; bytes: number }) => string;
  /** Storage queues a lane is spread over; default 1, for a queue takes 2,000 messages per second. */
  queuesPerLane?: number;
  pool?: string;
  /** Blob containers of the data account that handlers read and write; made by the deployment. Default none. */
  containers?: readonly string[];
  /**
   * What becomes of a file of the inbox whose content a batch of this workload had within seven days: accepted and
   * logged, or rejected with the name of that batch. Default 'report'.
   */
  inbox?: { repeatedContent?: RepeatedContent };
  /** Promised time from acceptance to report; default 300. */
  deadlineSeconds?: number;
  /** Days that a finished batch is kept; default 30. */
  retentionDays?: number;
  /**
   * Validates every item before an upload is accepted, and refuses the whole upload if one does not fit; default false:
   * such items become dead letters.
   */
  validateAtIntake?: boolean;
  /**
   * Publishes `ResultsReady`, one per collecting transaction that ended chunks with results, for a subscriber that reads
   * them while the batch runs; default false, since each event is a Service Bus operation.
   */
  resultsReady?: boolean;
}

/** What a user writes: a schema, one of `map` / `mapChunk`, and limits where the defaults do not fit. */
export type WorkloadOptions<Schema extends StandardSchemaV1, Result, Acc, Row = Acc> = CommonOptions<
  Result,
  Acc,
  Row
> & {
  item: Schema;
  /** What a person calls an item by, such as an invoice number: `sluice find BATCH --id X` looks for it. Default none. */
  id?: (item: StandardSchemaV1.InferOutput<Schema>) => string | number;
} & (
    | { map: (item: StandardSchemaV1.InferOutput<Schema>, context: ItemContext) => Result | Promise<Result> }
    | {
        mapChunk: (
          items: StandardSchemaV1.InferOutput<Schema>[],
          contexts: ItemContext[],
        ) => ChunkOutput<Result>[] | Promise<ChunkOutput<Result>[]>;
        /** Most items of one call; default the whole chunk, but no more than the limits let begin at once. */
        group?: { maxItems?: number };
      }
  );

/** A workload with every default filled in. Its types of item, result and aggregate are no longer visible here. */
export interface Workload {
  readonly name: string;
  readonly version: number;
  readonly item: StandardSchemaV1;
  readonly id?: (item: unknown) => unknown;
  readonly map?: (item: unknown, context: ItemContext) => unknown;
  readonly mapChunk?: (
    items: unknown[],
    contexts: ItemContext[],
  ) => ChunkOutput<unknown>[] | Promise<ChunkOutput<unknown>[]>;
  readonly reduce?: Required<Reduce<unknown, unknown, unknown>>;
  readonly chunk: { readonly maxItems: number; readonly maxBytes: number };
  readonly concurrency: number;
  readonly rateLimit?: RateLimit;
  readonly maxConcurrency?: number;
  readonly group: { readonly maxItems: number };
  readonly retry: RetryPolicy;
  readonly halt: HaltRule | undefined;
  readonly timeoutSeconds: number;
  readonly secondsPerChunk: number;
  readonly lanes: readonly string[];
  readonly lane: (batch: { items: number; bytes: number }) => string;
  readonly queuesPerLane: number;
  readonly pool: string;
  readonly containers: readonly string[];
  readonly inbox: { readonly repeatedContent: RepeatedContent };
  readonly deadlineSeconds: number;
  readonly retentionDays: number;
  readonly validateAtIntake: boolean;
  readonly resultsReady: boolean;
}

/**
 * Defines a workload; the one call that a workload file makes.
 * @throws WorkloadDefinitionError naming the field, what was expected and what came.
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
  } as unknown as Workload; // The user's own types end here: past this point items and results are opaque.
  check(workload);
  return Object.freeze(workload);
}

const MAX_ITEMS = 5_000;
/** Of a rate: a thread runs its chunk to the end, and an urgent lane has to wait for that. */
const SECONDS_OF_RATE = 10;

interface Sizes {
  rateLimit?: RateLimit;
  maxConcurrency?: number;
  mapChunk?: unknown;
  group?: { maxItems?: number };
}

/** A chunk of a slow rate that held thousands of items would hold its message, its thread and its task for hours. */
function defaultChunkItems({ rateLimit, mapChunk, group }: Sizes): number {
  if (rateLimit === undefined) return MAX_ITEMS;
  const perCall = mapChunk === undefined ? 1 : (group?.maxItems ?? MAX_ITEMS);
  const perPeriod = 'items' in rateLimit ? rateLimit.items : rateLimit.calls * perCall;
  const items = Math.ceil((perPeriod * SECONDS_OF_RATE) / rateLimit.perSeconds);
  return Math.min(MAX_ITEMS, Math.max(group?.maxItems ?? 1, items));
}

/** The whole chunk, as far as the limits let so many items begin in one call. */
function defaultGroupItems({ rateLimit, maxConcurrency = MAX_ITEMS, mapChunk }: Sizes, chunkItems: number): number {
  if (mapChunk === undefined) return chunkItems;
  return Math.min(chunkItems, maxConcurrency, rateLimit && 'items' in rateLimit ? rateLimit.items : chunkItems);
}

const SECONDS_PER_CHUNK = 0.1;
/** Of a call that waits: a request to a service near by, which writes something. */
const SECONDS_PER_CALL = 0.05;
const MAX_SECONDS_PER_CHUNK = 600;

/** A chunk of calls that wait takes long, and the first wave should be as wide as that asks for. */
function expectedSeconds(
  handlers: { map?: unknown; mapChunk?: unknown },
  { calls, concurrency }: { calls: number; concurrency: number },
): number {
  const isAsync = (handlers.map ?? handlers.mapChunk)?.constructor.name === 'AsyncFunction';
  const seconds = isAsync ? (calls * SECONDS_PER_CALL) / concurrency : 0;
  return Math.min(MAX_SECONDS_PER_CHUNK, Math.max(SECONDS_PER_CHUNK, seconds));
}

function check(workload: Workload): void {
  const fail: Fail = (field, expected, got) => {
    throw new WorkloadDefinitionError(
      `Workload ${JSON.stringify(workload.name)}: ${field} must be ${expected}, got ${JSON.stringify(got)}.`,
    );
  };
  if (!isWorkloadName(workload.name)) fail('name', 'lower-case words joined by dashes', workload.name);
  if (!isPoolName(workload.pool)) fail('pool', 'a lower-case word of at most 20 characters', workload.pool);
  if ((workload.map === undefined) === (workload.mapChunk === undefined))
    fail('map', 'given, or else mapChunk', 'both or none');
  // Sizes follow from the limits.
  checkLimits(workload, fail);
  if (workload.map !== undefined && workload.group.maxItems !== workload.chunk.maxItems)
    fail('group', 'absent where there is no mapChunk', workload.group);
  if (workload.lanes.length === 0) fail('lanes', 'at least one lane', workload.lanes);
  for (const lane of workload.lanes) checkLane(workload, lane, fail);
  for (const container of workload.containers) {
    if (!isOwnContainerName(container)) fail('containers', 'valid names that the pipeline does not use', container);
  }
  const { repeatedContent } = workload.inbox;
  if (repeatedContent !== 'report' && repeatedContent !== 'refuse')
    fail('inbox.repeatedContent', "'report' or 'refuse'", repeatedContent);
  if ('attempts' in workload) fail('attempts', 'given as retry.attempts', workload.attempts);
  for (const [field, [value, min, max]] of Object.entries(ranges(workload))) {
    const whole = !FRACTIONS.has(field);
    if (!(value >= min && value <= max) || (whole && !Number.isInteger(value))) fail(field, `${min} to ${max}`, value);
  }
}

const MAX_RATE = 100_000_000;

function checkLimits({ rateLimit, maxConcurrency, map, group }: Workload, fail: Fail): void {
  const perCall = map === undefined ? group.maxItems : 1;
  if (maxConcurrency !== undefined && !isWhole(maxConcurrency, perCall, 1_000_000))
    fail('maxConcurrency', `a whole number of items, at least the ${perCall} of one call`, maxConcurrency);
  if (rateLimit === undefined) return;
  const { items, calls, perSeconds } = rateLimit as { items?: unknown; calls?: unknown; perSeconds: unknown };
  if ((items === undefined) === (calls === undefined)) fail('rateLimit', 'given in items or in calls', rateLimit);
  if (items === undefined && !isWhole(calls, 1, MAX_RATE))
    fail('rateLimit.calls', `a whole number, 1 to ${MAX_RATE}`, calls);
  if (calls === undefined && !isWhole(items, perCall, MAX_RATE))
    fail('rateLimit.items', `a whole number, at least the ${perCall} of one call`, items);
  if (!isWhole(perSeconds, 1, DAY_SECONDS))
    fail('rateLimit.perSeconds', `a whole number, 1 to ${DAY_SECONDS}`, perSeconds);
  // A permit is earned while there is work: a slower one would seldom come together within a dequeue task.
  if (Number(items ?? calls) * SLOWEST_SECONDS < Number(perSeconds))
    fail('rateLimit', `at least one in ${SLOWEST_SECONDS} seconds`, rateLimit);
}

/** A slower rate is better kept by a batch per hour or day. */
const SLOWEST_SECONDS = 60;

const isWhole = (value: unknown, min: number, max: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;

type Fail = (field: string, expected: string, got: unknown) => never;

function checkLane(workload: Workload, lane: string, fail: Fail): void {
  if (!isLaneName(lane)) fail('lanes', 'lower-case words, not "results" or "poison"', lane);
  const longest = [queueName(workload.name, lane, workload.queuesPerLane - 1), resultsQueueName(workload.name)];
  if (longest.some((name) => name.length > MAX_QUEUE_NAME))
    fail('name', `short enough for queue names of ${MAX_QUEUE_NAME}`, longest[0]);
}

/** Fields that need not be whole numbers. */
const FRACTIONS = new Set([
  ...['secondsPerChunk', 'timeoutSeconds'],
  ...['retry.firstDelaySeconds', 'retry.factor', 'retry.maxDelaySeconds', 'retry.jitter', 'halt.deadShare'],
]);

const ranges = (workload: Workload): Record<string, [value: number, min: number, max: number]> => ({
  version: [workload.version, 1, 1_000_000],
  'chunk.maxItems': [workload.chunk.maxItems, 1, 100_000],
  concurrency: [workload.concurrency, 1, 1_000],
  'group.maxItems': [workload.group.maxItems, 1, 100_000],
  'chunk.maxBytes': [workload.chunk.maxBytes, KiB, 16 * MiB],
  'retry.attempts': [workload.retry.attempts, 1, 100],
  'retry.firstDelaySeconds': [workload.retry.firstDelaySeconds, 0, MAX_DELAY_SECONDS],
  'retry.factor': [workload.retry.factor, 1, 10],
  'retry.maxDelaySeconds': [workload.retry.maxDelaySeconds, workload.retry.firstDelaySeconds, MAX_DELAY_SECONDS],
  'retry.jitter': [workload.retry.jitter, 0, 1],
  ...(workload.halt === undefined
    ? {}
    : { 'halt.deadShare': [workload.halt.deadShare, 0, 1], 'halt.after': [workload.halt.after, 1, 1_000_000_000] }),
  timeoutSeconds: [workload.timeoutSeconds, 0.05, 540],
  secondsPerChunk: [workload.secondsPerChunk, 0.0001, MAX_SECONDS_PER_CHUNK],
  queuesPerLane: [workload.queuesPerLane, 1, 32],
  deadlineSeconds: [workload.deadlineSeconds, 1, 7 * DAY_SECONDS],
  retentionDays: [workload.retentionDays, 1, 3_650],
});
