import { z } from 'zod';
import { BATCH_STATES } from '../../batches/batch-row.ts';
import { DEAD_REASONS, deadItemSchema } from '../../contract/outcome.ts';
import { COMPONENTS, count, text, time } from '../edge/schemas.ts';

/** A dead letter. `line` is 1-based in the upload, null if the payload is deleted. `item` is absent if it could not be read. */
export const deadLetterSchema = deadItemSchema
  .extend({
    line: count.positive().nullable(),
    chunk: z.string(),
    cause: z.string(),
  })
  .register(COMPONENTS, { id: 'DeadLetter' });

/** A page of the dead letters of a batch by cause, most frequent first. */
export const deadLetterGroupsSchema = z
  .object({
    batch: z.string(),
    count: count.describe('Current dead letters of the batch'),
    scanned: count.describe('Dead letters of this page; its groups count these'),
    groups: z.array(
      z.object({ cause: z.string(), reason: z.enum(DEAD_REASONS), count: count.positive(), example: deadLetterSchema }),
    ),
    otherCauses: count.describe('Dead letters of this page beyond its hundredth cause'),
  })
  .register(COMPONENTS, { id: 'DeadLetterGroups' });

export const deadLetterListSchema = z
  .object({
    batch: z.string(),
    cause: z.string(),
    items: z.array(deadLetterSchema),
  })
  .register(COMPONENTS, { id: 'DeadLetterList' });

/** Dead letters of many batches by cause and workload, most frequent first. */
export const deadLettersOfBatchesSchema = z.object({
  from: z.iso.date().describe('Later than requested if there are too many batches'),
  to: z.iso.date(),
  count: count.describe('Current dead letters of the matching batches; with `cause`, only those with that cause'),
  groups: z.array(
    z.object({
      cause: z.string().describe('The first 120 characters of the cause'),
      workload: z.string(),
      count: count.positive().describe('From the batches that list the cause among their most frequent ones'),
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
        .describe('The newest batches of the group'),
      moreBatches: count,
    }),
  ),
  otherCauses: count.describe('Dead letters of causes that batches do not list, and beyond the hundredth group'),
  scanned: count.describe('Batches with dead letters, and unfinished ones, that were compared with the filter'),
  notScanned: count.describe('Unfinished batches that were not compared, because there are too many: the oldest'),
});
export type DeadLettersOfBatches = z.infer<typeof deadLettersOfBatchesSchema>;

const index = count.describe('0-based position in the batch');
export const MAX_NAMED = 100_000;

const chosen = {
  cause: text(1, 400).optional().describe('Only dead letters with this cause, as in their groups'),
  items: z.array(index).min(1).max(MAX_NAMED).optional().describe('Only these items'),
  key: text(1, 255).optional().describe('Used if there is no header Idempotency-Key'),
};

/** A corrected item. Its JSON is not validated a second time. */
export const correctedSchema = z.strictObject({ index, item: z.unknown().refine((item) => item !== undefined) });

/** Body of a redrive. Without `report`, `cause`, `items` and `corrected`, it selects all dead letters. */
export const redriveRequestSchema = z
  .strictObject({
    report: z.literal(true).optional().describe('Creates the failed report again with the deployed code. No item runs'),
    ...chosen,
    corrected: z
      .array(correctedSchema)
      .min(1)
      .max(MAX_NAMED)
      .optional()
      .describe('Items that replace uploaded ones. They need not be listed in items'),
    patch: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'JSON Merge Patch (RFC 7396) for each selected item, except for those in corrected. At most 65,536 characters',
      ),
    ratePerSecond: z
      .number()
      .min(0.01)
      .max(1_000_000)
      .optional()
      .describe('Maximum number of items per second, averaged over five seconds'),
  })
  .refine(({ cause, items, corrected }) => cause === undefined || (items === undefined && corrected === undefined), {
    message: 'cause cannot be combined with items or corrected',
  })
  .refine(({ report, key: _key, ...rest }) => report === undefined || Object.keys(rest).length === 0, {
    message: 'report can be combined only with key',
  });

/** Body of a discard. Without `cause` and `items`, it selects all dead letters. */
export const discardRequestSchema = z
  .strictObject({
    ...chosen,
    reason: z.string().trim().min(1).max(200).describe('Stored with the revision'),
  })
  .refine(({ cause, items }) => cause === undefined || items === undefined, {
    message: 'cause cannot be combined with items',
  });

const opened = z.object({
  batch: z.string(),
  revision: count.describe('The new revision of the batch and of its report'),
  at: time,
});

/** The answer to a discard, the same for every repetition with its key. */
export const discardAnswerSchema = opened.extend({ discarded: count.describe('Number of discarded dead letters') });

/** The answer to a redrive, the same for every repetition with its key. */
export const redriveAnswerSchema = opened.extend({
  redriven: count.describe('Number of items that run again; 0 for the report alone'),
  unreadable: count.describe('Dead letters that remain, because their items can no longer be read'),
  chunks: count,
});
