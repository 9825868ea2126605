import { z } from 'zod';
import { COMPONENTS, count, time } from '../edge/schemas.ts';
import { batchLinksSchema, batchViewSchema, deadlineMetSchema } from './schemas.ts';

const { id, workload, lane, state, labels, ratePerSecond, estimate, blocked } = batchViewSchema.shape;

export const batchEntrySchema = z.object({
  ...{ id, workload, lane, state, labels, estimate, blocked },
  accepted: count,
  dead: count,
  discarded: count,
  pending: count,
  file: z.string().optional().describe('Name of the uploaded file'),
  createdAt: time.describe('The creation time of the id, by which listings are sorted'),
  revision: count,
  openedAt: time.describe('When the current revision was opened. The following three fields are about it, too'),
  completedAt: time.nullable(),
  deadlineAt: time,
  ratePerSecond,
  deadlineMet: deadlineMetSchema,
  latencyP95Ms: count.nullable().describe('Latency of the first revision, after its completion'),
  causes: z.record(z.string(), count).optional().describe('The most frequent causes of its current dead letters'),
  atRiskAt: time.optional().describe('Like `deadline.atRiskAt` of the batch, but only until it is finished'),
  links: batchLinksSchema,
});
export type BatchEntry = z.infer<typeof batchEntrySchema>;

/** Batches, newest first, and the days (UTC) that the listing covers. */
export const batchListSchema = z
  .object({
    batches: z.array(batchEntrySchema),
    days: z.object({ from: z.iso.date(), to: z.iso.date() }),
    scanned: z
      .object({
        batches: count,
        until: time.nullable().describe('Creation of the last of them; null if there are none'),
      })
      .describe('Batches that were compared with the filter. The page may be empty and still have a next page'),
  })
  .register(COMPONENTS, { id: 'BatchList' });
export type BatchList = z.infer<typeof batchListSchema>;
