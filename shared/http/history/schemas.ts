/** What the route of the history answers with. */
import { z } from 'zod';
import { count, time, usd } from '../edge/schemas.ts';

/** The batches of a day (UTC, by when they were created) and one workload whose first revision has ended. */
const historyDay = z.object({
  day: z.iso.date(),
  workload: z.string(),
  batches: count,
  items: count,
  dead: count,
  discarded: count,
  deadlinesMissed: count,
  latencyP95Ms: count.nullable().describe('The highest p95 of their first revisions; null: none is known'),
  deadlineMs: count.nullable().describe('The shortest time that one of them had; null: none'),
  itemsPerSecond: z.number().nonnegative().nullable().describe('Of all their items, over the time that each took'),
  operations: count.describe('Storage operations, as the receipts have them'),
  usd,
});
export type HistoryDay = z.infer<typeof historyDay>;

/** Days, oldest first, and what operators did meanwhile. `from` is later than asked for where there are too many batches. */
export const historySchema = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  days: z.array(historyDay),
  lookedAt: count.describe('Batches that were read'),
  sheet: z.string().describe('The price sheet'),
  currency: z.string().describe('Of every amount: the currency of the price sheet, such as USD'),
  unverified: z.array(z.string()).describe('Price classes without a verified source that the amounts stand on'),
  markers: z
    .array(z.object({ at: time, action: z.string(), target: z.string(), by: z.string() }))
    .describe('Pauses, changes of a policy, redrives and discards'),
});
export type History = z.infer<typeof historySchema>;
