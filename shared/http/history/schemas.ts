import { z } from 'zod';
import { count, time, usd } from '../edge/schemas.ts';

/** The batches of one workload that were created on a day (UTC) and whose first revision is finished. */
const historyDay = z.object({
  day: z.iso.date(),
  workload: z.string(),
  batches: count,
  items: count,
  dead: count,
  discarded: count,
  deadlinesMissed: count,
  latencyP95Ms: count.nullable().describe('The highest p95 of their first revisions; null if none is known'),
  deadlineMs: count.nullable().describe('The shortest time from acceptance to deadline; null if none is known'),
  itemsPerSecond: z
    .number()
    .nonnegative()
    .nullable()
    .describe('The number of their items divided by the sum of their durations'),
  operations: count.describe('Storage operations, as in the receipts'),
  usd,
});
export type HistoryDay = z.infer<typeof historyDay>;

/**
 * Days, oldest first, and the actions of operators in this time. `from` is later than requested if there are too many batches.
 */
export const historySchema = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  days: z.array(historyDay),
  scanned: count.describe('Batches that were read'),
  sheet: z.string().describe('The price sheet'),
  currency: z.string().describe('Currency of all amounts, from the price sheet, such as USD'),
  unverified: z.array(z.string()).describe('Price classes without a verified source that the amounts include'),
  markers: z
    .array(z.object({ at: time, action: z.string(), target: z.string(), by: z.string() }))
    .describe('Pauses, changes of a policy, redrives and discards'),
});
export type History = z.infer<typeof historySchema>;
