/** What the route of the overview answers with. */
import { z } from 'zod';
import { count, time } from '../edge/schemas.ts';

/** A batch that somebody should look at. */
const batchNotice = z.object({
  id: z.string(),
  workload: z.string(),
  lane: z.string(),
  file: z.string().optional().describe('Name of the uploaded file'),
  since: time.describe('When that began'),
  items: count.describe('Items of the batch that are pending; of a finished batch, all of them'),
  reason: z.string().optional(),
  by: z.enum(['operator', 'halt']).optional().describe('Of a paused batch: who paused it'),
});
export type BatchNotice = z.infer<typeof batchNotice>;

const batchNotices = z.object({
  count: count.describe('How many there are'),
  batches: z.array(batchNotice).max(20).describe('The oldest of them'),
});
export type BatchNotices = z.infer<typeof batchNotices>;

const deadCause = z.object({
  cause: z.string(),
  workload: z.string(),
  count,
  batches: count.describe('Batches that have dead letters of this cause'),
  newest: z.string().describe('Id of the newest of them'),
});

/** What needs an operator now, over all queues and batches. Every list is empty when all is well. */
export const overviewSchema = z.object({
  at: time,
  queues: z.object({
    count,
    draining: count,
    paused: count,
    messages: count.describe('Sum of the depths'),
    measuredAt: time.nullable().describe('When the oldest of the depths was measured; null: one never was'),
    batches: count.describe('Open batches'),
    items: count.describe('Items of open batches that are pending'),
    read: count.describe(
      'Open batches that were read, those with the earliest deadline: only they are found at risk or paused, and the items of the others are those at their opening',
    ),
  }),
  late: batchNotices.describe('Open batches whose deadline has passed'),
  atRisk: batchNotices.describe('Open batches that are likely to miss their deadline'),
  pausedQueues: z
    .array(
      z.object({
        queue: z.string(),
        workload: z.string(),
        by: z.enum(['operator', 'circuit']),
        reason: z.string(),
        since: time,
        probeAt: time.optional().describe('When the circuit lets one task try again'),
        messages: count,
        batches: count,
        items: count,
      }),
    )
    .describe('Paused queues with messages or open batches'),
  pausedBatches: batchNotices.describe('By an operator, or by the option halt of their workload'),
  failedReports: batchNotices.describe('Open batches, and those created in the last 24 hours, whose report failed'),
  suspect: batchNotices.describe(
    'Open batches, and those created in the last 24 hours, of which none of the first items is valid',
  ),
  deadLetters: z.object({
    since: time,
    count: count.describe('Current dead letters of the batches that were created since then'),
    causes: z.array(deadCause).max(20).describe('The most frequent ones, as far as batches name them'),
    isWhole: z
      .boolean()
      .describe('False: there are more batches with dead letters than were read; the newest are counted'),
  }),
  missedWakes: z
    .array(
      z.object({
        queue: z.string(),
        count: count.describe('Since the gate of the queue was made'),
        at: time.describe('The latest'),
      }),
    )
    .describe('Queues whose latest missed wake is at most 24 hours ago'),
  poison: z.array(z.object({ queue: z.string(), messages: count })),
  stuck: z.array(z.object({ queue: z.string(), since: time, reason: z.string() })).describe('Drains that do not move'),
  inboxRejects: z.object({
    count: count.describe('Rejected files, as far as one page of the listing has them'),
    files: z.array(z.object({ name: z.string(), since: time, title: z.string() })).max(5),
  }),
});
export type Overview = z.infer<typeof overviewSchema>;
