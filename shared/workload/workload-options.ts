/** What a workload file passes to `defineWorkload`, and the workload that it returns. docs/workloads.md is the guide. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Container } from './container.ts';

/** The second argument of a handler. */
export interface ItemContext {
  batch: string;
  /** Index of the item in the batch, from 0. */
  position: number;
  /** 1 at the first attempt. Counts only attempts that were charged to the item. */
  attempt: number;
  /**
   * Identifies the item to other services: the same value at every attempt, redelivery and redrive. At most 53 characters.
   */
  idempotencyKey: string;
  /** When the report of the batch is due. */
  deadline: Date;
  /** Whether the result will be discarded: then the handler must change nothing elsewhere. Currently always false. */
  shadow: boolean;
  /**
   * Aborts when the pipeline no longer waits for the call: the item (with `mapChunk`: the group) exceeded `timeoutSeconds`,
   * its batch was cancelled, its instance is stopping, or the call will be repeated alone after an unhandled error.
   */
  signal: AbortSignal;
  /** Writes a log line with batch, chunk and position. At most 100 lines per chunk are written. */
  log: (message: string) => void;
  /**
   * Opens one of the workload's `containers`.
   * @throws TypeError for a container that the workload does not declare.
   */
  container: (name: string) => Container;
}

/** The result of one item of a `mapChunk` call, or the error (Reject, Retry or any other) with which the item failed. */
export type ChunkOutput<Result> = Result | Error;

/**
 * Folds results into one value (`Acc`) per key. All functions are synchronous, and every `Acc` is JSON. `add` and `merge`
 * may change and return their first argument. If a function throws, the report fails, and the items keep their results.
 */
export interface Reduce<Result, Acc, Row = Acc> {
  /** Returns the key of a result, or several distinct keys: then the result is added to each of them. */
  key: (result: Result) => string | readonly string[];
  init: () => Acc;
  add: (acc: Acc, result: Result, key: string) => Acc;
  /** Must be associative and commutative: chunks finish in any order. */
  merge: (a: Acc, b: Acc) => Acc;
  /**
   * Converts the merged value of a key into its value in the report, for example a sum and a count into an average. Called
   * once per key, after the last merge. Must be pure and return JSON. By default, the report contains the merged value.
   */
  finish?: (key: string, acc: Acc) => Row;
  /** Maximum number of keys per report. A batch with more keys ends in the state `reportFailed`. Defaults to 100,000. */
  maxKeys?: number;
}

/** When and how often an item is tried again after its handler threw or timed out. */
export interface RetryPolicy {
  /** Maximum number of attempts, including the first; after the last one the item is a dead letter. 1 to 100; defaults to 5. */
  readonly attempts: number;
  /** Wait after the first failed attempt, at most seven days. Defaults to 1. */
  readonly firstDelaySeconds: number;
  /** Each further wait is the previous one multiplied by this factor. 1 to 10; defaults to 2. */
  readonly factor: number;
  /**
   * The longest wait before `jitter` is applied: at least `firstDelaySeconds`, at most seven days. A `Retry` with `after` may
   * exceed it, up to seven days. Defaults to 900.
   */
  readonly maxDelaySeconds: number;
  /** Each wait is randomly shortened or lengthened by up to this fraction of it. 0 to 1; defaults to 0.2. */
  readonly jitter: number;
}

/**
 * Maximum number of handler calls, or of items, that start per `perSeconds` (1 to 86,400). Starts are spread evenly over that
 * period. At least one in 60 seconds.
 */
export type RateLimit =
  | { readonly calls: number; readonly perSeconds: number }
  | { readonly items: number; readonly perSeconds: number };

/** When a batch pauses automatically. */
export interface HaltRule {
  /** The batch pauses when dead letters exceed this fraction of the finished items (results and dead letters). 0 to 1. */
  readonly deadShare: number;
  /** Minimum number of finished items before the rule applies: 1 to 1,000,000,000. */
  readonly after: number;
}

/** What happens to content that was submitted before: it is accepted and reported, or refused. */
export type RepeatedContent = 'report' | 'refuse';

interface CommonOptions<Result, Acc, Row> {
  /** Lower-case words joined by dashes. Permanent, because the queues are named after it. */
  name: string;
  /** Increase it when the meaning of items or results changes. Stored with each batch, reference and dead letter. */
  version: number;
  /** Aggregates results into the rows of the report. If absent, the report has no rows. */
  reduce?: Reduce<Result, Acc, Row>;
  /**
   * Calls of an asynchronous handler in flight per worker thread, 1 to 1,000; a synchronous handler always runs one call at a
   * time. Defaults to 16, the default of a queue trigger: a service that handles the load of such a trigger handles this workload.
   * Source: Microsoft Learn, host.json, `batchSize`.
   */
  concurrency?: number;
  /** Applies across all instances, lanes and queues of the workload. No default: the rate is not limited. */
  rateLimit?: RateLimit;
  /**
   * Maximum number of items in flight across all instances, lanes and queues of the workload; at least the number of items
   * per call. No default: the number is not limited.
   */
  maxConcurrency?: number;
  /**
   * Maximum size of a chunk, whichever limit is reached first. `maxItems` defaults to 5,000, or with a `rateLimit` to the
   * number of items that may start within 10 s if that is less. `maxBytes`, of uncompressed records, defaults to 1 MiB.
   */
  chunk?: { maxItems?: number; maxBytes?: number };
  /** Defaults to 5 attempts, with waits of 1, 2, 4 and 8 seconds ±20 %. Absent fields have their own defaults. */
  retry?: Partial<RetryPolicy>;
  /**
   * Pauses a batch when too many of its items become dead letters. An operator must resume or cancel it. No default, because
   * a batch that no operator watches would never finish.
   */
  halt?: HaltRule;
  /** Maximum duration of one call of the handler (with `mapChunk`: for the whole group), 0.05 to 540. Defaults to 60. */
  timeoutSeconds?: number;
  /**
   * Estimated duration of a chunk; the first wave is sized by it, later waves by measured durations. Defaults to 0.1, or for
   * an `async` handler to 50 ms per call divided by `concurrency` if that is longer.
   */
  secondsPerChunk?: number;
  /** Classes of priority; each has its own queues and drains. Defaults to ['normal']. */
  lanes?: readonly string[];
  /** Chooses the lane of a batch whose client specifies none. Defaults to the first lane. */
  lane?: (batch: { items: number; bytes: number }) => string;
  /**
   * Number of storage queues per lane, 1 to 32. Defaults to 1, because one queue supports about 2,000 messages per second and
   * a message is a whole chunk. Reduce it only when the removed queues are empty and no batch of the workload is open.
   */
  queuesPerLane?: number;
  /** The function app that runs the workload; a lower-case word of at most 20 characters. Defaults to 'default'. */
  pool?: string;
  /** Blob containers of the data account that handlers read and write. The deployment creates them. Defaults to none. */
  containers?: readonly string[];
  /**
   * `repeatedContent` decides about an inbox file whose content was in a batch of this workload within the last seven days:
   * 'report' accepts and logs it, 'refuse' rejects it with the id of that batch. Defaults to 'report'.
   */
  inbox?: { repeatedContent?: RepeatedContent };
  /** Promised time from acceptance to report, at most seven days. Defaults to 300. */
  deadlineSeconds?: number;
  /** Days after which a finished batch is deleted. Defaults to 30. */
  retentionDays?: number;
  /**
   * Validates every item before an upload is accepted, and refuses the whole upload if one item is invalid. Defaults to
   * false: invalid items become dead letters, the others are processed.
   */
  validateAtIntake?: boolean;
  /**
   * Publishes a `ResultsReady` event for each collecting transaction that finishes chunks with results, for subscribers that
   * read results while the batch runs. Defaults to false, because each event costs a Service Bus operation.
   */
  resultsReady?: boolean;
}

/**
 * The argument of `defineWorkload`. Required: `name`, `version`, the schema `item`, and either `map` or `mapChunk`. The other
 * options have defaults.
 */
export type WorkloadOptions<Schema extends StandardSchemaV1, Result, Acc, Row = Acc> = CommonOptions<
  Result,
  Acc,
  Row
> & {
  /** Schema of an item: a zod schema, or any other Standard Schema validator. An item that does not fit is a dead letter. */
  item: Schema;
  /**
   * Returns the id by which people refer to an item, such as an invoice number: `sluice find BATCH --id X` searches for it.
   * No default.
   */
  id?: (item: StandardSchemaV1.InferOutput<Schema>) => string | number;
} & (
    | {
        /** Handles one item and returns its result, which must be JSON. */
        map: (item: StandardSchemaV1.InferOutput<Schema>, context: ItemContext) => Result | Promise<Result>;
      }
    | {
        /**
         * Handles a group of items and returns one output per item, in their order. If the call throws, times out or returns
         * another number of outputs, every item of the group fails for retry.
         */
        mapChunk: (
          items: StandardSchemaV1.InferOutput<Schema>[],
          contexts: ItemContext[],
        ) => ChunkOutput<Result>[] | Promise<ChunkOutput<Result>[]>;
        /**
         * Maximum number of items per call. Defaults to the whole chunk, or to `maxConcurrency` or the `items` of a
         * `rateLimit` if one of these is less.
         */
        group?: { maxItems?: number };
      }
  );

/** A workload with all defaults filled in. The user's types of item, result and aggregate are `unknown` here. */
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
