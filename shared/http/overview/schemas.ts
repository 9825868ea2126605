import { z } from 'zod';
import { count, time } from '../edge/schemas.ts';
import { queuePauseSchema } from '../queues/schemas.ts';

const batchNotice = z.object({
  id: z.string(),
  workload: z.string(),
  lane: z.string(),
  file: z.string().optional().describe('Name of the uploaded file'),
  since: time.describe('When the problem began'),
  items: count.describe('Pending items of the batch; for a finished batch, all of its items'),
  reason: z.string().optional(),
  text: z.string().optional().describe('The reason as a sentence; for a paused batch, with the cause and the time'),
  by: z.enum(['operator', 'halt']).optional().describe('Only for a paused batch: the cause of the pause'),
});
export type BatchNotice = z.infer<typeof batchNotice>;

const batchNotices = z.object({
  count: count.describe('Number of these batches'),
  batches: z.array(batchNotice).max(20).describe('Those with the earliest time in since'),
});
export type BatchNotices = z.infer<typeof batchNotices>;

const deadCause = z.object({
  cause: z.string(),
  workload: z.string(),
  count,
  batches: count.describe('Batches that have dead letters with this cause'),
  newest: z.string().describe('Id of the newest of these batches'),
});

/** Everything that currently needs an operator, over all queues and batches. If all is well, every list is empty. */
export const overviewSchema = z.object({
  at: time,
  queues: z.object({
    count,
    draining: count,
    paused: count,
    messages: count.describe('Sum of the queue depths'),
    measuredAt: time.nullable().describe('The time of the oldest measurement; null if a queue was never measured'),
    batches: count.describe('Open batches'),
    items: count.describe('Pending items of open batches'),
    read: count.describe(
      'Number of open batches that were read, those with the earliest deadline. Only these can appear as at risk or paused; for the others, items counts all items',
    ),
  }),
  late: batchNotices.describe('Open batches whose deadline has passed'),
  atRisk: batchNotices.describe('Open batches that are likely to miss their deadline'),
  pausedQueues: z
    .array(
      queuePauseSchema.omit({ probes: true, ran: true, failures: true }).extend({
        queue: z.string(),
        workload: z.string(),
        text: z.string().describe('The pause as a sentence, with the next probe of the circuit'),
        messages: count,
        batches: count,
        items: count,
      }),
    )
    .describe('Paused queues'),
  pausedBatches: batchNotices.describe('Batches that an operator or the option halt of their workload has paused'),
  failedReports: batchNotices.describe('Open batches, and those created in the last 24 hours, whose report failed'),
  suspect: batchNotices.describe(
    'Open batches, and those created in the last 24 hours, of which none of the first items is valid',
  ),
  deadLetters: z.object({
    since: time,
    count: count.describe('Current dead letters of the batches that were created since then'),
    causes: z.array(deadCause).max(20).describe('The most frequent causes, from those that batches list'),
    isWhole: z
      .boolean()
      .describe('false: there are more batches with dead letters than were read. Only the newest are counted'),
  }),
  missedWakes: z
    .array(
      z.object({
        queue: z.string(),
        count: count.describe('Number of missed wakes since the creation of the gate'),
        at: time.describe('The time of the latest missed wake'),
      }),
    )
    .describe('Queues whose latest missed wake is at most 24 hours ago'),
  poison: z.array(z.object({ queue: z.string(), messages: count })),
  stuck: z
    .array(z.object({ queue: z.string(), since: time, reason: z.string() }))
    .describe('Drains that make no progress'),
  inboxRejects: z.object({
    count: count.describe('Rejected files on the first page of the listing'),
    files: z.array(z.object({ name: z.string(), since: time, title: z.string() })).max(5),
  }),
});
export type Overview = z.infer<typeof overviewSchema>;
