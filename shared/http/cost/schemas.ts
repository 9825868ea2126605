import { z } from 'zod';
import { operationsSchema } from '../../contract/operations.ts';
import { count, time, usd } from '../edge/schemas.ts';

const periodSchema = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  batches: count,
  items: count,
  storageOperations: z.number().nonnegative().describe('Of all receipts together, computed ones included'),
  work: z
    .object({ how: z.literal('counted'), operations: operationsSchema, usd })
    .describe('Done for the batches alone, and their shares of what their drains have done'),
  wakeUps: z
    .object({
      how: z.literal('computed'),
      operations: operationsSchema,
      actions: z.number().nonnegative(),
      executions: z.object({ count: z.number().nonnegative(), gbSeconds: z.number().nonnegative() }),
      usd,
    })
    .describe('What the Durable extension does or bills by itself, and executions as billed'),
  idle: z
    .object({
      how: z.literal('computed'),
      lines: z.array(
        z.object({
          who: z.string(),
          does: z.string(),
          count: z.number().nullable(),
          usd: usd.nullable(),
          unverified: z.array(z.string()),
        }),
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
  currency: z.string().describe('Of every amount: the currency of the price sheet, such as USD'),
  unverified: z.array(z.string()).describe('Price classes without a verified source that the amounts stand on'),
  day: periodSchema,
  month: periodSchema,
  process: z
    .object({
      instance: z.string().nullable().describe('null: the platform gives none'),
      since: time,
      operations: operationsSchema,
      overhead: z
        .object({ requests: operationsSchema, sweep: operationsSchema, inbox: operationsSchema })
        .describe('Those of them that no receipt has: done for no batch'),
    })
    .describe('Counted by the one instance that answers, since its start, whatever it was for'),
  notIncluded: z.array(z.string()),
});
export type Cost = z.infer<typeof costSchema>;
