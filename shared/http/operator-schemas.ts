/** What operator routes answer with. */
import { z } from 'zod';
import { operationsSchema } from '../contract/operations.ts';
import { policySchema } from '../drain/policy.ts';

const count = z.number().int().nonnegative();
const time = z.string().describe('Time in UTC, ISO 8601');

const pauseSchema = z.object({
  by: z.enum(['operator', 'circuit']),
  reason: z.string(),
  since: time,
  probeAt: time.optional().describe('When the circuit lets one task try again'),
  probes: count.optional(),
});

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
  missedWakes: count.describe('Times that the sweep found work which no wake-up had told of'),
  orphanedReferences: count.describe('References dropped because their batch was gone'),
  taskLimit: count.describe('Most tasks of a wave just now, lowered by throttling; 0: no limit but the policy'),
  throttled: count.describe('Throttled answers in the last wave'),
  itemsPerSecond: z.number().nonnegative(),
  secondsPerReference: z.number().nonnegative().describe('As measured; 0 before the first'),
  policyVersion: count.describe('0: the default policy'),
  dueAt: time.nullable().describe('When the earliest delayed message becomes visible, if one is known'),
});
export type QueueView = z.infer<typeof queueViewSchema>;

export const queueListSchema = z.object({ queues: z.array(queueViewSchema) });

/** Body of a pause; all of it may be left out. */
export const pauseRequestSchema = z.strictObject({
  reason: z.string().min(1).max(200).default('paused by an operator').describe('Shown with the queue'),
});

/** The scaling policy of a queue and its version, which is also its ETag; version 0 is the default policy. */
export const policyViewSchema = z.object({ queue: z.string(), version: count, policy: policySchema });
export type PolicyView = z.infer<typeof policyViewSchema>;

const usd = z.number().nonnegative();

const periodSchema = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  batches: count,
  items: count,
  work: z.object({ how: z.literal('counted'), operations: operationsSchema, usd }),
  wakeUps: z
    .object({ how: z.literal('computed'), operations: operationsSchema, actions: count, usd })
    .describe('Wake-ups, receives and the ends of waves, and what the Durable extension does by itself'),
  idle: z
    .object({
      how: z.literal('computed'),
      lines: z.array(
        z.object({ who: z.string(), does: z.string(), count: z.number().nullable(), usd: usd.nullable() }),
      ),
      usd,
    })
    .describe('What is billed while nothing is to be done, for the part of the period that has passed'),
  totalUsd: usd,
  usdPerMillionItems: usd.nullable(),
});
export type CostPeriod = z.infer<typeof periodSchema>;

/** What a day and its month have cost. */
export const costSchema = z.object({
  sheet: z.string(),
  currency: z.literal('USD'),
  day: periodSchema,
  month: periodSchema,
  process: z
    .object({ since: time, operations: operationsSchema })
    .describe('Counted by the one instance that answers, since its start, whatever it was for'),
  notIncluded: z.array(z.string()),
});
export type Cost = z.infer<typeof costSchema>;

const check = z.enum(['ok', 'failed']);

/** Whether the app answers; `checks` of the storage behind it, and what is wrong there, only when asked for. */
export const healthSchema = z.object({
  status: z.enum(['ok', 'failing']),
  pool: z.string().nullable().describe('null: the workloads of all pools'),
  workloads: z.array(z.string()),
  checks: z.object({ table: check, queue: check, blob: check }).optional(),
  problems: z
    .array(z.object({ resource: z.string(), problem: z.string() }))
    .optional()
    .describe('Tables, containers and queues that are missing, deny access or do not answer'),
});
export type Health = z.infer<typeof healthSchema>;
