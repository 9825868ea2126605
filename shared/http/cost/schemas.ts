import { z } from 'zod';
import { operationsSchema } from '../../contract/operations.ts';
import { count, time, usd } from '../edge/schemas.ts';

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
    .object({
      instance: z.string().nullable().describe('null: the platform gives none'),
      since: time,
      operations: operationsSchema,
    })
    .describe('Counted by the one instance that answers, since its start, whatever it was for'),
  notIncluded: z.array(z.string()),
});
export type Cost = z.infer<typeof costSchema>;
