import { z } from 'zod';
import { operationsSchema } from '../../../contract/operations.ts';
import { DURABLE_BACKENDS } from '../../../cost/durable-backend.ts';
import { COMPONENTS, count, usd } from '../../edge/schemas.ts';

const operations = operationsSchema.describe('Billed operations by name, such as blob.put');

/** The cost of a batch so far; prices of `sheet`, in USD. */
export const batchReceiptSchema = z
  .object({
    soFar: z.boolean().describe('true: the batch is not finished, so the cost may grow'),
    handlerSeconds: z.number().nonnegative(),
    operations: operations.describe('Counted: for this batch alone'),
    drainOperations: operations.describe(
      'Estimated: operations of its drains, which serve other batches as well, as if it had run alone and in one go',
    ),
    hostOperations: operations.describe('Estimated: operations of the Durable extension on Azure Storage'),
    backend: z.enum(DURABLE_BACKENDS).describe('The deployed durable backend'),
    actions: z
      .number()
      .nonnegative()
      .describe('Estimated: durable actions of its drains, 1 per orchestration start, 2 per activity'),
    executions: z
      .object({ count: z.number().nonnegative(), gbSeconds: z.number().nonnegative() })
      .describe('Estimated: function executions, as billed if no others run at the same time'),
    storageOperations: z.number().nonnegative().describe('The storage operations among the three counts above'),
    throttled: z.number().nonnegative().describe('Number of answers with which a service throttled a call'),
    sheet: z.string(),
    currency: z.string(),
    byService: z.record(z.string(), usd),
    totalUsd: usd,
    unpriced: z.array(z.string()),
    unverified: z.array(z.string()).describe('Prices in the total whose source is not verified'),
    comparison: z.object({
      messagePerItem: z.object({ operations: count, usd, timesOurs: z.number().nonnegative().nullable() }),
      pollingThreadPerDay: z.object({ operations: count, usd }),
    }),
  })
  .register(COMPONENTS, { id: 'Receipt' });
export type BatchReceipt = z.infer<typeof batchReceiptSchema>;
