/**
 * A chunk's outcome: one blob, written once. The body is a zstd frame with the results, then the retries, the dead letters and
 * the partial aggregate, each as a zstd frame inside a skippable frame. The header (this schema, as JSON) is blob metadata.
 */
import { z } from 'zod';

const count = z.number().int().nonnegative();

/** An inner zstd frame: its offset and length in the blob, its decoded length, and its number of lines. */
const framePlaceSchema = z.object({
  offset: count,
  length: count,
  bytes: count,
  items: count,
  digest: z.string(),
});
export type FramePlace = z.infer<typeof framePlaceSchema>;

/**
 * The results of a chunk's items: items = succeeded + dead + discarded + cancelled + retried. `retried` items continue in
 * follow-up chunks (the retries frame, or the parts of a split). `discarded` counts dead letters of earlier chunks that an
 * operator has discarded; absent means none.
 */
const countsSchema = z.object({
  items: count,
  succeeded: count,
  dead: count,
  discarded: count.optional(),
  cancelled: count,
  retried: count,
});
export type Counts = z.infer<typeof countsSchema>;

/** How a chunk as a whole ended. A `discarded` chunk has no blob, only its row. */
const ENDINGS = ['processed', 'split', 'cancelled', 'discarded', 'digest', 'payloadMissing', 'killed'] as const;

/** The header of an outcome. Empty frames are absent. `dueAt` is the earliest time at which a retry may run. */
export const outcomeHeaderSchema = z.object({
  v: z.literal(1),
  ending: z.enum(ENDINGS),
  counts: countsSchema,
  /** Time from the start of the chunk in its thread to its end, in seconds: decoding and waits for limits are included. */
  handlerSeconds: z.number().nonnegative(),
  results: framePlaceSchema.optional(),
  retries: framePlaceSchema.optional(),
  dead: framePlaceSchema.optional(),
  partial: framePlaceSchema.optional(),
  dueAt: z.string().optional(),
  /** Number of retried items that are only moved, without a charged attempt. */
  moved: count.optional(),
  /** Number of dead items per cause, for the most frequent causes only. */
  causes: z.record(z.string(), count).optional(),
  /** Number of dead items that violate the schema. Exact, unlike `causes`, which is a selection. Absent means none. */
  invalid: count.optional(),
  /** For `split`: [skip, take] of each part, relative to the frame. */
  parts: z.array(z.tuple([count, count])).optional(),
});
export type OutcomeHeader = z.infer<typeof outcomeHeaderSchema>;

export const DEAD_REASONS = ['invalid', 'rejected', 'exhausted', 'killed', 'digest', 'payloadMissing'] as const;
export type DeadReason = (typeof DEAD_REASONS)[number];

/** `stack` contains the first frames in the workload's own files, innermost first, with paths relative to the app's root. */
const errorFields = {
  name: z.string(),
  message: z.string(),
  code: z.union([z.string(), z.number()]).optional(),
  stack: z.array(z.string()).optional(),
};
const causeSchema = z.object(errorFields);

/** A violation of the schema by an item. `path` is empty for the item as a whole. */
const issueSchema = z.object({ path: z.string(), message: z.string() });
export type Issue = z.infer<typeof issueSchema>;

/**
 * An error as stored in dead letters and attempts. Every text and list is bounded (processing/outcome/error-text.ts). `causes`
 * contains the chain of `cause` and the errors of an AggregateError; `moreIssues` counts the omitted issues.
 */
const errorSchema = z.object({
  ...errorFields,
  causes: z.array(causeSchema).optional(),
  issues: z.array(issueSchema).optional(),
  moreIssues: count.optional(),
});
export type ErrorText = z.infer<typeof errorSchema>;

/** Older attempts contain a single text of name and message instead of fields. */
const attemptSchema = z.object({ at: z.string(), error: z.union([errorSchema, z.string()]) });
export type Attempt = z.infer<typeof attemptSchema>;

/** A line of the dead frame. `index` is the 0-based position in the batch. `item` is absent if it cannot be read. */
export const deadItemSchema = z.object({
  index: count,
  reason: z.enum(DEAD_REASONS),
  error: errorSchema,
  attempts: z.array(attemptSchema),
  item: z.unknown().optional(),
  version: count,
});
export type DeadItem = z.infer<typeof deadItemSchema>;

/**
 * A line of a retries frame (also used by redrives): the item, the attempts charged so far, and when it may run. `rerun` is
 * set after the death of a thread. `alone`: the item was in flight with others, so it runs alone. `careful`: its finished
 * result was lost, so the next result is copied immediately.
 */
const retryItemSchema = z.object({
  index: count,
  attempts: z.array(attemptSchema),
  notBefore: z.string().optional(),
  rerun: z.enum(['alone', 'careful']).optional(),
  item: z.unknown(),
});
export type RetryItem = z.infer<typeof retryItemSchema>;

const ITEM = ',"item":';

/**
 * Returns the item in a line of a dead or retries frame as text, or undefined if there is none. JSON.stringify of the parsed
 * item would lose digits of its numbers. `item` is the last field, and quotes within the strings before it are escaped.
 */
export function itemTextIn(line: string): string | undefined {
  const at = line.indexOf(ITEM);
  return at < 0 ? undefined : line.slice(at + ITEM.length, -1);
}

/** A line of the partial frame: a key and the folded value of the chunk's results for it. Sorted by key (code units). */
export interface PartialLine {
  key: string;
  value: unknown;
}

/**
 * The only line of the partial frame of a chunk whose results could not be folded: the error of the workload's `key`, `init`
 * or `add`. The results are stored, and the report folds them again.
 */
export interface FailedFold {
  failed: string;
}

/** Returns the error of a failed fold; undefined for a partial aggregate. */
export const failureOf = (lines: readonly (PartialLine | FailedFold)[]): string | undefined => {
  const [first] = lines;
  return first !== undefined && 'failed' in first ? first.failed : undefined;
};
