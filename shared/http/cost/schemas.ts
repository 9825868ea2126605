import { z } from 'zod';
import { operationsSchema } from '../../contract/operations.ts';
import { periodCostSchema } from '../../cost/period.ts';
import { COMPONENTS, count, time } from '../edge/schemas.ts';

const periodSchema = z.object({ from: z.iso.date(), to: z.iso.date(), ...periodCostSchema.shape });
export type CostPeriod = z.infer<typeof periodSchema>;

const counts = operationsSchema;

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
