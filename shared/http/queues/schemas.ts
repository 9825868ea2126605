import { z } from 'zod';
import { policySchema } from '../../gate/policy.ts';
import { WAVE_BOUNDS } from '../../gate/wave-record.ts';
import { noteSchema } from '../edge/notes.ts';
import { amount, COMPONENTS, count, pauseUntilSchema, time } from '../edge/schemas.ts';

COMPONENTS.add(policySchema, { id: 'Policy' });

export const queuePauseSchema = z.object({
  by: z.enum(['operator', 'circuit']),
  reason: z.string(),
  since: time,
  until: pauseUntilSchema,
  probeAt: time
    .optional()
    .describe(
      'The time of the next probe of the circuit; absent if one task tries the next message that can be received',
    ),
  probes: count.optional().describe('Number of consecutive failed probes'),
  ran: count.optional().describe('Items that probes have run without a verdict so far'),
  failures: count.optional().describe('The number of these that failed for retry'),
});

const limitsSchema = z.object({
  rateLimit: z
    .union([z.object({ calls: count, perSeconds: count }), z.object({ items: count, perSeconds: count })])
    .nullable()
    .describe('The option of the workload: the number of handler calls, or items, that may begin per perSeconds'),
  maxConcurrency: count.nullable().describe('The option of the workload: the maximum number of items in flight'),
  lowered: z
    .object({
      factor: z.number().positive().describe('The part of the rate limit that is used'),
      since: time.describe('When the factor last changed in either direction'),
    })
    .nullable()
    .describe('Set while the rate is lowered, because the called service throttles'),
  heldUntil: time.nullable().describe('No item starts before this time, as requested by the called service'),
  holders: count.describe('Processes that have a share of the limits'),
  waiting: z
    .object({ since: time, until: time.describe('When its next drain is due') })
    .nullable()
    .describe('Set while this queue is parked because no share is free for it'),
});
export type LimitsView = z.infer<typeof limitsSchema>;

const fraction = z.number().min(0).max(1);

const loadSchema = z.object({
  instances: count.describe('Processes that ran the wave'),
  cpu: fraction.describe('Fraction of the cores that the busiest process used'),
  eventLoop: fraction.describe('Utilization of the event loop of the busiest process'),
  responseMs: amount.describe('Mean response time of storage operations, in milliseconds'),
  latencyMs: count.describe(
    'Age of the oldest work of the wave at its end, since acceptance, in milliseconds; 0 if unknown',
  ),
});

export const queueViewSchema = z
  .object({
    queue: z.string(),
    workload: z.string(),
    lane: z.string(),
    kind: z.enum(['items', 'results']),
    pool: z.string(),
    status: z.enum(['idle', 'draining']),
    generation: count.describe('Number of drains so far'),
    depth: count.describe('Number of messages at the last measurement, including invisible ones'),
    depthAt: time.nullable().describe('When the depth was measured; null if never'),
    backlog: z
      .object({ batches: count, items: count })
      .nullable()
      .describe('Open batches of the queue and their pending items; null for results'),
    active: count.describe('Dequeue tasks of the current wave'),
    total: count.describe('Dequeue tasks since the creation of the gate'),
    idleCount: count.describe('Consecutive waves that did nothing'),
    wakes: count.describe('Wakes since the drain acquired the gate'),
    paused: queuePauseSchema.nullable(),
    startFailure: z
      .object({ since: time, error: z.string() })
      .nullable()
      .describe(
        'Set if the durable runtime cannot start its drain: the time from which the sweep has found this, and the last error',
      ),
    missedWakes: count.describe('How often the sweep found work for which no wake event had arrived'),
    orphanedReferences: count.describe('References that were deleted because their batch no longer exists'),
    taskLimit: count.describe(
      'The current maximum number of tasks per wave, lowered by throttling, slow responses or failures; 0: only the policy limits it',
    ),
    throttled: count.describe('Throttled answers in the last wave'),
    itemsPerSecond: amount,
    secondsPerReference: amount.describe('The measured mean; 0 before the first measurement'),
    load: loadSchema.nullable().describe('Load of the instances that ran the last wave; null before the first wave'),
    policyVersion: count.describe('0: the default policy'),
    dueAt: time.nullable().describe('When the earliest delayed message becomes visible, if one is known'),
    limits: limitsSchema
      .nullable()
      .describe(
        'Limits of the workload, which apply across all its queues; null if it has none, and for result queues',
      ),
    notes: z
      .array(noteSchema)
      .describe('What is unusual about the queue, most important first: why it waits, is slow, or is limited'),
  })
  .register(COMPONENTS, { id: 'Queue' });
export type QueueView = z.infer<typeof queueViewSchema>;

export const queueListSchema = z.object({ queues: z.array(queueViewSchema) }).register(COMPONENTS, { id: 'QueueList' });

const waveSchema = z.object({
  at: time.describe('The end of the wave'),
  seconds: amount.describe('Duration of its longest task, without waits for work'),
  depth: count.describe('Number of messages at its planning'),
  tasks: count,
  bound: z.enum(WAVE_BOUNDS).describe('The limit that determined the number of its tasks'),
  limitedBy: z.string().describe('The bound as text that follows "limited by"'),
  late: z.boolean().describe('Whether the wave was planned for work that would otherwise miss its deadline'),
  done: count.describe('References that its tasks completed'),
  items: count,
  throttled: count,
  secondsPerReference: amount.describe('The value at its planning'),
});
export type WaveView = z.infer<typeof waveSchema>;

/** The scaling policy of a queue and its version, which is also its ETag; version 0 is the default policy. */
export const policyViewSchema = z
  .object({
    queue: z.string(),
    version: count,
    policy: policySchema,
    previous: policySchema
      .optional()
      .describe('The previous policy. To undo the change, store it again. Absent for version 0'),
  })
  .register(COMPONENTS, { id: 'PolicyView' });
export type PolicyView = z.infer<typeof policyViewSchema>;

/** A queue with its latest waves, the oldest first, and its policy. */
export const queueDetailsSchema = queueViewSchema.extend({
  itemsPerReference: count.describe(
    'Maximum number of items per chunk. The thresholds of the policy are compared with the number of messages times this value',
  ),
  waves: z.array(waveSchema).max(30),
  policy: policyViewSchema,
});
export type QueueDetails = z.infer<typeof queueDetailsSchema>;

/** The body that confirms the clearing of a queue by its name. */
export const clearRequestSchema = z.strictObject({ confirm: z.string().describe('The name of the queue') });

export const clearedQueueSchema = z.object({
  queue: z.string(),
  batches: count.describe('Batches that were cancelled'),
  messages: count.describe('Messages that were deleted; approximate for a poison queue'),
  left: count.describe(
    'Remaining messages, of batches that were accepted in the meantime or are too large for one request. If the time ran out, the depth of the queue, at least 1',
  ),
});
export type ClearedQueue = z.infer<typeof clearedQueueSchema>;
