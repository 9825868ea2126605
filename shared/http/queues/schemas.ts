/** What the routes of queues take and answer with. */
import { z } from 'zod';
import { policySchema } from '../../drain/policy.ts';
import { count, time } from '../edge/schemas.ts';

const pauseSchema = z.object({
  by: z.enum(['operator', 'circuit']),
  reason: z.string(),
  since: time,
  probeAt: time.optional().describe('When the circuit lets one task try again'),
  probes: count.optional(),
});

const startFailureSchema = z.object({ since: time, error: z.string() });

const limitsSchema = z.object({
  rateLimit: z
    .union([z.object({ calls: count, perSeconds: count }), z.object({ items: count, perSeconds: count })])
    .nullable()
    .describe('As the workload says: how many calls of the handler, or items, may begin per perSeconds'),
  maxConcurrency: count.nullable().describe('As the workload says: most items in flight'),
  lowered: z
    .object({
      factor: z.number().positive().describe('Part of the rate limit that is used'),
      since: time.describe('When the factor was last changed, downwards or upwards'),
    })
    .nullable()
    .describe('Set while the rate is lowered, because the other side has throttled'),
  heldUntil: time.nullable().describe('Nothing is started before, as the other side has asked for'),
  holders: count.describe('Processes that have a share of the limits'),
  waiting: z
    .object({ since: time, until: time.describe('When its next drain is due') })
    .nullable()
    .describe('Set while this queue is parked because no share is free for it'),
});
export type LimitsView = z.infer<typeof limitsSchema>;

/** A queue as its gate knows it. */
export const queueViewSchema = z.object({
  queue: z.string(),
  workload: z.string(),
  lane: z.string(),
  kind: z.enum(['items', 'results']),
  pool: z.string(),
  status: z.enum(['idle', 'draining']),
  generation: count.describe('Drains so far'),
  depth: count.describe('Current queue depth: messages at the last measurement, invisible ones included'),
  active: count.describe('Active dequeue tasks: of the current wave'),
  total: count.describe('Total dequeue tasks: started since the gate was made'),
  idleCount: count.describe('Waves in a row that did nothing'),
  wakes: count.describe('Wake-ups counted since the drain took the gate'),
  paused: pauseSchema.nullable(),
  startFailure: startFailureSchema
    .nullable()
    .describe('The durable runtime does not start its drain: since when the sweep has found it so, and the last error'),
  missedWakes: count.describe('Times that the sweep found work which no wake-up had told of'),
  orphanedReferences: count.describe('References dropped because their batch was gone'),
  taskLimit: count.describe('Most tasks of a wave just now, lowered by throttling; 0: no limit but the policy'),
  throttled: count.describe('Throttled answers in the last wave'),
  itemsPerSecond: z.number().nonnegative(),
  secondsPerReference: z.number().nonnegative().describe('As measured; 0 before the first'),
  policyVersion: count.describe('0: the default policy'),
  dueAt: time.nullable().describe('When the earliest delayed message becomes visible, if one is known'),
  limits: limitsSchema
    .nullable()
    .describe('Limits of the workload, which hold across all its queues; null for one without, and for results'),
});
export type QueueView = z.infer<typeof queueViewSchema>;

export const queueListSchema = z.object({ queues: z.array(queueViewSchema) });

/** The scaling policy of a queue and its version, which is also its ETag; version 0 is the default policy. */
export const policyViewSchema = z.object({ queue: z.string(), version: count, policy: policySchema });
export type PolicyView = z.infer<typeof policyViewSchema>;
