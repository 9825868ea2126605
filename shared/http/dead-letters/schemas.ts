/** What the routes of dead letters take and answer with. */
import { z } from 'zod';
import { BATCH_STATES } from '../../batches/batch-row.ts';
import { DEAD_REASONS, deadItemSchema } from '../../contract/outcome.ts';
import { count, time } from '../edge/schemas.ts';

/** A dead letter. `line` is 1-based in the upload, null when the payload is gone; `item` is absent if it could not be read. */
export const deadLetterSchema = deadItemSchema.extend({
  line: count.positive().nullable(),
  chunk: z.string(),
  cause: z.string(),
});

/** The dead letters of a batch by cause, most frequent first. `otherCauses` counts those past the hundredth cause. */
export const deadLetterGroupsSchema = z.object({
  batch: z.string(),
  count,
  groups: z.array(
    z.object({ cause: z.string(), reason: z.enum(DEAD_REASONS), count: count.positive(), example: deadLetterSchema }),
  ),
  otherCauses: count,
});

/** A page of the dead letters of one cause. */
export const deadLetterListSchema = z.object({
  batch: z.string(),
  cause: z.string(),
  items: z.array(deadLetterSchema),
});

/** Dead letters of many batches by cause and workload, most frequent first. */
export const deadLettersOfBatchesSchema = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  count: count.describe('Current dead letters of the batches that fit; with `cause`, of that cause'),
  groups: z.array(
    z.object({
      cause: z.string().describe('At most 120 characters of it'),
      workload: z.string(),
      count: count.positive().describe('As far as batches name the cause among their most frequent ones'),
      batches: z
        .array(
          z.object({
            id: z.string(),
            state: z.enum(BATCH_STATES),
            createdAt: time,
            count: count.positive(),
            file: z.string().optional(),
            labels: z.record(z.string(), z.string()).optional(),
          }),
        )
        .max(50)
        .describe('The newest of them'),
      moreBatches: count,
    }),
  ),
  otherCauses: count.describe('Those of causes that batches do not name, and past the hundredth group'),
  lookedAt: count.describe('Batches with dead letters, and unfinished ones, that were compared with the filter'),
  notLookedAt: count.describe('Unfinished batches that were not, as they are too many: the oldest'),
});
export type DeadLettersOfBatches = z.infer<typeof deadLettersOfBatchesSchema>;

/** An item's 0-based position in its batch. */
const index = count.describe('0-based position in the batch');
const MAX_NAMED = 100_000;

/** What a redrive and a discard may take alike. */
const chosen = {
  cause: z.string().min(1).max(400).optional().describe('Only dead letters of this cause, as they are grouped'),
  items: z.array(index).min(1).max(MAX_NAMED).optional().describe('Only these items'),
  key: z.string().min(1).max(255).optional().describe('As the header Idempotency-Key'),
};

/** Body of a redrive: without `report`, `cause`, `items` and `corrected` it means all dead letters. */
export const redriveRequestSchema = z
  .strictObject({
    report: z
      .literal(true)
      .optional()
      .describe('No item runs; the report, which failed, is made again by the code that is deployed now'),
    ...chosen,
    corrected: z
      .array(z.strictObject({ index, item: z.json() }))
      .min(1)
      .max(MAX_NAMED)
      .optional()
      .describe('Items that run in place of those that were uploaded; they need not be named again'),
    patch: z
      .record(z.string(), z.json())
      .optional()
      .describe(
        'JSON Merge Patch (RFC 7396) for each item that is taken up, but not for those in corrected; at most 65,536 characters',
      ),
    ratePerSecond: z
      .number()
      .min(0.01)
      .max(1_000_000)
      .optional()
      .describe('Maximum items per second, over five seconds'),
  })
  .refine(({ cause, items, corrected }) => cause === undefined || (items === undefined && corrected === undefined), {
    message: 'cause goes with neither items nor corrected',
  })
  .refine(({ report, key: _key, ...rest }) => report === undefined || Object.keys(rest).length === 0, {
    message: 'report goes with key alone',
  });

/** Body of a discard: without `cause` and `items` it means all dead letters. */
export const discardRequestSchema = z
  .strictObject({
    ...chosen,
    reason: z.string().trim().min(1).max(200).describe('Kept with the revision'),
  })
  .refine(({ cause, items }) => cause === undefined || items === undefined, {
    message: 'cause does not go with items',
  });

/** What a discard has taken up; the same for every repeat of its key. */
export const discardAnswerSchema = z.object({
  batch: z.string(),
  revision: count.describe('Revision of the batch, and of the report to come'),
  discarded: count.describe('Dead letters that are discarded'),
  at: time,
});

/** What a redrive took up; the same for every repeat of its key. */
export const redriveAnswerSchema = z.object({
  batch: z.string(),
  revision: count.describe('Revision of the batch, and of the report to come'),
  redriven: count.describe('Items that run again; 0 for the report alone'),
  unreadable: count.describe('Dead letters that stay, as their item cannot be read any more'),
  chunks: count,
  at: time,
});
