/**
 * The cost of a day or a month: work is counted, wake-ups are calculated from it, and idle costs from the elapsed time.
 */
import { z } from 'zod';
import { addOperations, type Operations, operationsSchema } from '../contract/operations.ts';
import type { Line } from './bill-lines.ts';
import { DAYS_PER_MONTH, DEFAULT_DEPLOYMENT, type Deployment, type DurableBackend } from './deployed.ts';
import { idleBill } from './idle-bill.ts';
import { type Priced, priceOperations } from './price.ts';
import { receipt, receiptSchema } from './receipt.ts';
import { type PriceClass, type PriceSheet, unverifiedOf } from './sheet.ts';

/** What several batches have spent in total, as in their receipts. */
export interface PeriodSpent {
  batches: number;
  items: number;
  operations: Operations;
  drainOperations: Operations;
}

export const NOTHING_SPENT: PeriodSpent = { batches: 0, items: 0, operations: {}, drainOperations: {} };

/** Adds a batch to a sum. */
export function addBatch(sum: PeriodSpent, batch: Omit<PeriodSpent, 'batches'>): PeriodSpent {
  return {
    batches: sum.batches + 1,
    items: sum.items + batch.items,
    operations: addOperations(sum.operations, batch.operations),
    drainOperations: addOperations(sum.drainOperations, batch.drainOperations),
  };
}

const number = z.number().nonnegative();

/** The cost of a period, before free grants. */
export const periodCostSchema = z.object({
  batches: number.int(),
  items: number.int(),
  storageOperations: number.describe('The sum over all receipts, including computed operations'),
  work: z
    .object({ how: z.literal('counted'), operations: operationsSchema, usd: number })
    .describe('Operations for the batches alone, and an estimate of those of their drains'),
  wakeUps: z
    .object({ how: z.literal('computed'), operations: operationsSchema, usd: number })
    .extend(receiptSchema.pick({ actions: true, executions: true }).shape)
    .describe('Operations and billed actions of the Durable extension, and function executions as billed'),
  idle: z
    .object({
      how: z.literal('computed'),
      lines: z.array(
        z.object({
          who: z.string(),
          does: z.string(),
          count: z.number().nullable(),
          usd: number.nullable(),
          unverified: z.array(z.string()),
        }),
      ),
      usd: number,
    })
    .describe('The charges for idle resources, for the part of the period that has passed'),
  totalUsd: number,
  usdPerMillionItems: number.nullable(),
});
type PeriodCost = z.infer<typeof periodCostSchema>;

/** What an app knows about its deployment; for the rest, the defaults of `infra/` are assumed. */
export type KnownDeployment = Partial<Omit<Deployment, 'backend'>>;

/** Classes that are billed per month: their count does not depend on the number of days, only their cost does. */
const STANDING: readonly (PriceClass | undefined)[] = [
  ...(['alert.log', 'alert.metric', 'storage.gbMonth', 'network.privateEndpoint', 'network.privateDnsZone'] as const),
];

/** Returns the idle bill of a month, reduced to `days`, before free grants: the lines that `npm run cost` prints. */
export function idleLines(
  days: number,
  known: KnownDeployment,
  { prices, backend }: PeriodBasis,
): Omit<Line, 'when' | 'priceClass'>[] {
  const fraction = days / DAYS_PER_MONTH;
  return idleBill({ ...DEFAULT_DEPLOYMENT, ...known, backend }, prices).map(
    ({ who, does, count, usd, unverified, priceClass }) => ({
      who,
      does,
      count: count === null || STANDING.includes(priceClass) ? count : count * fraction,
      usd: usd === null ? null : usd * fraction,
      unverified,
    }),
  );
}

export interface PeriodBasis {
  prices: PriceSheet;
  backend: DurableBackend;
}

/** Prices what batches have spent: the sum of their receipts, both counted and calculated parts. */
export function priceSpent(
  { items, operations, drainOperations }: PeriodSpent,
  { prices, backend }: PeriodBasis,
): Pick<PeriodCost, 'work' | 'wakeUps' | 'storageOperations'> & Pick<Priced, 'unverified'> {
  const all = receipt({ operations, drainOperations, items, backend }, prices);
  const counted = addOperations(all.operations, all.drainOperations);
  const { totalUsd: usd } = priceOperations(counted, prices);
  const { hostOperations, actions, executions, storageOperations, unverified } = all;
  return {
    work: { how: 'counted', operations: counted, usd },
    wakeUps: { how: 'computed', operations: hostOperations, actions, executions, usd: all.totalUsd - usd },
    storageOperations,
    unverified,
  };
}

/** Prices a period of which `days` have passed. `unverified`: the price classes without a verified source. */
export function periodCost(
  spent: PeriodSpent,
  period: { days: number; deployment: KnownDeployment },
  basis: PeriodBasis,
): { cost: PeriodCost; unverified: PriceClass[] } {
  const { batches, items } = spent;
  const lines = idleLines(period.days, period.deployment, basis);
  const { unverified: ofWork, ...priced } = priceSpent(spent, basis);
  const idle = { how: 'computed' as const, lines, usd: lines.reduce((sum, { usd }) => sum + (usd ?? 0), 0) };
  const totalUsd = priced.work.usd + priced.wakeUps.usd + idle.usd;
  const usdPerMillionItems = items === 0 ? null : (totalUsd / items) * 1_000_000;
  const unverified = unverifiedOf(basis.prices, [...ofWork, ...lines.flatMap((line) => line.unverified)]);
  return { cost: { batches, items, ...priced, idle, totalUsd, usdPerMillionItems }, unverified };
}

/** Returns the interval of a schedule of every n minutes, from any minute and second on, or undefined for another form. */
export function minutesOf(schedule: string): number | undefined {
  const match = /^\d{1,2} (?:\*|\d{1,2}-59)\/(\d{1,2}) \* \* \* \*$/.exec(schedule);
  return match ? Number(match[1]) : undefined;
}
