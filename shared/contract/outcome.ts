/**
 * A chunk's outcome: one blob, written once. Body = the results as a zstd frame, then retries, dead letters and the
 * partial aggregate as a zstd frame inside a skippable frame each. The header (this schema, as JSON) is blob metadata.
 */
import { z } from 'zod';
import { countsSchema } from './counts.ts';

const count = z.number().int().nonnegative();

/** Where an inner zstd frame lies in the blob, how long it is, what it decodes to, and how many lines it has. */
const framePlaceSchema = z.object({
  offset: count,
  length: count,
  bytes: count,
  items: count,
  digest: z.string(),
});
export type FramePlace = z.infer<typeof framePlaceSchema>;

/** Why a whole chunk ended without (only) results. A `discarded` one has no blob, only its row. */
const ENDINGS = ['processed', 'split', 'cancelled', 'discarded', 'digest', 'payloadMissing', 'killed'] as const;

/** The outcome's header. A frame that would be empty is absent. `dueAt` is when the earliest retry may run. */
export const outcomeHeaderSchema = z.object({
  v: z.literal(1),
  ending: z.enum(ENDINGS),
  counts: countsSchema,
  handlerSeconds: z.number().nonnegative(),
  results: framePlaceSchema.optional(),
  retries: framePlaceSchema.optional(),
  dead: framePlaceSchema.optional(),
  partial: framePlaceSchema.optional(),
  dueAt: z.string().optional(),
  /** How many of the retried items are only moved: no attempt was charged. */
  moved: count.optional(),
  /** How many items died of which cause; the most frequent ones only. */
  causes: z.record(z.string(), count).optional(),
  /** How many of the dead items did not fit the schema: exact, unlike the causes, which are a selection. Absent: none. */
  invalid: count.optional(),
  /** For `split`: [skip, take] of each part, relative to the frame. */
  parts: z.array(z.tuple([count, count])).optional(),
});
export type OutcomeHeader = z.infer<typeof outcomeHeaderSchema>;

export const DEAD_REASONS = ['invalid', 'rejected', 'exhausted', 'killed', 'digest', 'payloadMissing'] as const;
export type DeadReason = (typeof DEAD_REASONS)[number];

/** `stack`: the first frames in the workload's own files, innermost first; paths are relative to the app's root. */
const errorFields = {
  name: z.string(),
  message: z.string(),
  code: z.union([z.string(), z.number()]).optional(),
  stack: z.array(z.string()).optional(),
};
const causeSchema = z.object(errorFields);

/** What an item does not fit in its schema. `path` is empty for the item as a whole. */
const issueSchema = z.object({ path: z.string(), message: z.string() });
export type Issue = z.infer<typeof issueSchema>;

/**
 * An error as dead letters and attempts keep it. Every text and list is bounded (processing/outcome/error-text.ts).
 * `causes`: the chain of `cause`, and the errors of an AggregateError; `moreIssues` counts the issues left out.
 */
const errorSchema = z.object({
  ...errorFields,
  causes: z.array(causeSchema).optional(),
  issues: z.array(issueSchema).optional(),
  moreIssues: count.optional(),
});
export type ErrorText = z.infer<typeof errorSchema>;

/** Attempts that were stored before errors had fields have a text, name and message in one. */
const attemptSchema = z.object({ at: z.string(), error: z.union([errorSchema, z.string()]) });
export type Attempt = z.infer<typeof attemptSchema>;

/** A line of the dead frame. `index` is the 0-based position in the batch; `item` is absent when it cannot be read. */
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
 * A line of a retries frame (also used by redrives): the item, the attempts charged so far, and when it may run. `rerun`:
 * a thread died while it was in flight with others, so that it runs alone; or after it had ended, so that its end is noted
 * at once.
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
 * The item in a line of a dead or retries frame, as text; undefined when the line has none. Stringifying the parsed item
 * would lose digits of its numbers. `item` is the last field, and within a string before it the quotes are escaped.
 */
export function itemTextIn(line: string): string | undefined {
  const at = line.indexOf(ITEM);
  return at < 0 ? undefined : line.slice(at + ITEM.length, -1);
}

/** A line of the partial frame: what the chunk's results of one key fold to. Lines are sorted by key (code units). */
export interface PartialLine {
  key: string;
  value: unknown;
}

/**
 * The one line of the partial frame of a chunk whose results could not be folded: what the workload's `key`, `init` or
 * `add` threw. The results are there, and the report folds them again.
 */
export interface FailedFold {
  failed: string;
}

/** What was thrown in a fold that failed; undefined for a partial aggregate. */
export const failureOf = (lines: readonly (PartialLine | FailedFold)[]): string | undefined => {
  const [first] = lines;
  return first !== undefined && 'failed' in first ? first.failed : undefined;
};
