/** What the routes of queues take and answer with. */
import { z } from 'zod';
import { policySchema } from '../../drain/planning/policy.ts';
import { WAVE_BOUNDS } from '../../wake/gate/wave-record.ts';
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

const share = z.number().min(0).max(1);

const loadSchema = z.object({
  instances: count.describe('Processes that ran the wave'),
  cpu: share.describe('Share of its cores that the busiest of them used'),
  eventLoop: share.describe('Utilization of the event loop of the busiest of them'),
  responseMs: z.number().nonnegative().describe('Mean response time of storage operations, in milliseconds'),
  latencyMs: count.describe(
    'Age of the oldest work of the wave at its end, since acceptance, in milliseconds; 0 when unknown',
  ),
});
export type LoadView = z.infer<typeof loadSchema>;

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
  depthAt: time.nullable().describe('When the depth was measured; null: never'),
  backlog: z
    .object({ batches: count, items: count })
    .nullable()
    .describe('Open batches of the queue and their pending items; null for results'),
  active: count.describe('Active dequeue tasks: of the current wave'),
  total: count.describe('Total dequeue tasks: started since the gate was made'),
  idleCount: count.describe('Waves in a row that did nothing'),
  wakes: count.describe('Wake-ups counted since the drain took the gate'),
  paused: pauseSchema.nullable(),
  startFailure: startFailureSchema
    .nullable()
    .describe('The durable runtime does not start its drain: since when the sweep has found it so, and the last error'),
  missedWakes: count.describe('Times that the sweep found work for which no wake had arrived'),
  orphanedReferences: count.describe('References dropped because their batch was gone'),
  taskLimit: count.describe(
    'Most tasks of a wave just now, lowered by throttling, slow responses or failures; 0: no limit but the policy',
  ),
  throttled: count.describe('Throttled answers in the last wave'),
  itemsPerSecond: z.number().nonnegative(),
  secondsPerReference: z.number().nonnegative().describe('As measured; 0 before the first'),
  load: loadSchema.nullable().describe('Of the instances that ran the last wave; null before the first'),
  policyVersion: count.describe('0: the default policy'),
  dueAt: time.nullable().describe('When the earliest delayed message becomes visible, if one is known'),
  limits: limitsSchema
    .nullable()
    .describe('Limits of the workload, which hold across all its queues; null for one without, and for results'),
});
export type QueueView = z.infer<typeof queueViewSchema>;

export const queueListSchema = z.object({ queues: z.array(queueViewSchema) });

const waveSchema = z.object({
  at: time.describe('Its end'),
  seconds: z.number().nonnegative().describe('Of its longest task, without waits for work'),
  depth: count.describe('Messages when it was planned'),
  tasks: count,
  bound: z.enum(WAVE_BOUNDS).describe('What has bounded its tasks'),
  late: z.boolean().describe('Whether it was planned for work that would miss its deadline'),
  done: count.describe('References that its tasks have ended'),
  items: count,
  throttled: count,
  secondsPerReference: z.number().nonnegative().describe('As it was planned with'),
});
export type WaveView = z.infer<typeof waveSchema>;

/** The scaling policy of a queue and its version, which is also its ETag; version 0 is the default policy. */
export const policyViewSchema = z.object({
  queue: z.string(),
  version: count,
  policy: policySchema,
  previous: policySchema
    .optional()
    .describe('The policy that this one has replaced; to put it undoes the change. Absent for version 0'),
});
export type PolicyView = z.infer<typeof policyViewSchema>;

/** A queue with its latest waves, the oldest first, and its policy. */
export const queueDetailsSchema = queueViewSchema.extend({
  itemsPerReference: count.describe('Most items of a chunk: the thresholds of the policy count messages times this'),
  waves: z.array(waveSchema).max(30),
  policy: policyViewSchema,
});
export type QueueDetails = z.infer<typeof queueDetailsSchema>;

/** What clears a queue: its name once more. */
export const clearRequestSchema = z.strictObject({ confirm: z.string().describe('The name of the queue') });

/** What a request has cleared. */
export const clearedQueueSchema = z.object({
  queue: z.string(),
  batches: count.describe('Batches that were cancelled'),
  messages: count.describe('Messages that were deleted; of a poison queue approximately'),
  left: count.describe(
    'Messages that stay, of batches that were accepted meanwhile or are too large for one request; or, if the time was up, the depth of the queue, at least 1',
  ),
});
export type ClearedQueue = z.infer<typeof clearedQueueSchema>;
