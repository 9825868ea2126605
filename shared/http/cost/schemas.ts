import { z } from 'zod';
import { operationsSchema } from '../../contract/operations.ts';
import { COMPONENTS, count, time, usd } from '../edge/schemas.ts';

const counts = operationsSchema;

const periodSchema = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  batches: count,
  items: count,
  storageOperations: z.number().nonnegative().describe('The sum over all receipts, including computed operations'),
  work: z
    .object({ how: z.literal('counted'), operations: operationsSchema, usd })
    .describe('Operations for the batches alone, and an estimate of those of their drains'),
  wakeUps: z
    .object({
      how: z.literal('computed'),
      operations: operationsSchema,
      actions: z.number().nonnegative(),
      executions: z.object({ count: z.number().nonnegative(), gbSeconds: z.number().nonnegative() }),
      usd,
    })
    .describe('Operations and billed actions of the Durable extension, and function executions as billed'),
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
    .describe('The charges for idle resources, for the part of the period that has passed'),
  totalUsd: usd,
  usdPerMillionItems: usd.nullable(),
});
export type CostPeriod = z.infer<typeof periodSchema>;

/** The cost of a day and its month. */
export const costSchema = z
  .object({
    sheet: z.string(),
    currency: z.string().describe('Currency of all amounts, from the price sheet, such as USD'),
    unverified: z.array(z.string()).describe('Price classes without a verified source that the amounts include'),
    day: periodSchema,
    month: periodSchema.describe('Begins later than the month if there are too many batches'),
    scanned: count.describe('Batches that were read'),
    notScanned: count.describe('Open batches that were not read, because there are too many'),
    process: z
      .object({
        instance: z.string().nullable().describe('null: the platform provides no name'),
        since: time,
        operations: operationsSchema,
        overhead: z
          .object({ requests: counts, drains: counts, sweep: counts, inbox: counts })
          .describe('The counted operations that are not for one batch. Receipts contain an estimate of `drains`'),
      })
      .describe('All operations of the answering instance since its start'),
    notIncluded: z.array(z.string()),
  })
  .register(COMPONENTS, { id: 'Cost' });
export type Cost = z.infer<typeof costSchema>;
