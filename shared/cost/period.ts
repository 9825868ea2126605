/**
 * The cost of a day or a month: work is counted, wake-ups are calculated from it, and idle costs from the elapsed time.
 */
import { addOperations, type Operations } from '../contract/operations.ts';
import type { Line } from './bill-lines.ts';
import { DAYS_PER_MONTH, DEFAULT_DEPLOYMENT, type Deployment } from './deployed.ts';
import type { DurableBackend } from './durable-backend.ts';
import { idleBill } from './idle-bill.ts';
import { priceOperations } from './price.ts';
import { receipt } from './receipt.ts';
import { type PriceClass, type PriceSheet, unverifiedOf } from './sheet.ts';

/** What several batches have spent in total, as in their receipts. */
export interface PeriodSpent {
  batches: number;
  items: number;
  operations: Operations;
  drainOperations: Operations;
}

/** The sum before the first batch. */
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

type IdleLine = Omit<Line, 'when' | 'priceClass'>;

/** What an app knows about its deployment; for the rest, the defaults of `infra/` are assumed. */
export type KnownDeployment = Partial<Omit<Deployment, 'backend'>>;

/** Classes that are billed per month: their count does not depend on the number of days, only their cost does. */
const STANDING: ReadonlySet<PriceClass | undefined> = new Set<PriceClass | undefined>([
  ...(['alert.log', 'alert.metric', 'storage.gbMonth', 'network.privateEndpoint', 'network.privateDnsZone'] as const),
]);

/** Returns the idle bill of a month, reduced to `days`, before free grants: the lines that `npm run cost` prints. */
export function idleLines(days: number, known: KnownDeployment, { prices, backend }: PeriodBasis): IdleLine[] {
  const fraction = days / DAYS_PER_MONTH;
  return idleBill({ ...DEFAULT_DEPLOYMENT, ...known, backend }, prices).map(
    ({ who, does, count, usd, unverified, priceClass }) => ({
      who,
      does,
      count: count === null || STANDING.has(priceClass) ? count : count * fraction,
      usd: usd === null ? null : usd * fraction,
      unverified,
    }),
  );
}

/** USD of the three parts. `storageOperations` is the sum of all receipts. */
export interface PeriodCost {
  /** Counted: for the batches alone, and their parts of drains. */
  work: { operations: Operations; usd: number };
  /** Calculated: what the Durable extension does or bills, and executions. */
  wakeUps: { operations: Operations; actions: number; executions: { count: number; gbSeconds: number }; usd: number };
  storageOperations: number;
  idle: { lines: IdleLine[]; usd: number };
  totalUsd: number;
  /** The price classes used in the amounts that have no verified source. */
  unverified: PriceClass[];
}

/** The prices and the durable backend of a calculation. */
export interface PeriodBasis {
  prices: PriceSheet;
  backend: DurableBackend;
}

/** Prices what batches have spent: the sum of their receipts, both counted and calculated parts. */
export function priceSpent(
  { items, operations, drainOperations }: PeriodSpent,
  { prices, backend }: PeriodBasis,
): Pick<PeriodCost, 'work' | 'wakeUps' | 'storageOperations' | 'unverified'> {
  const all = receipt({ operations, drainOperations, items, backend }, prices);
  const counted = addOperations(all.operations, all.drainOperations);
  const { totalUsd: usd } = priceOperations(counted, prices);
  const { hostOperations, actions, executions, storageOperations, unverified } = all;
  return {
    work: { operations: counted, usd },
    wakeUps: { operations: hostOperations, actions, executions, usd: all.totalUsd - usd },
    storageOperations,
    unverified,
  };
}

/** Prices a period of which `days` have passed. */
export function periodCost(
  spent: PeriodSpent,
  period: { days: number; deployment: KnownDeployment },
  basis: PeriodBasis,
): PeriodCost {
  const lines = idleLines(period.days, period.deployment, basis);
  const { work, wakeUps, storageOperations, unverified: ofWork } = priceSpent(spent, basis);
  const idle = { lines, usd: lines.reduce((sum, { usd }) => sum + (usd ?? 0), 0) };
  const unverified = unverifiedOf(basis.prices, [...ofWork, ...lines.flatMap((line) => line.unverified)]);
  return { work, wakeUps, storageOperations, idle, totalUsd: work.usd + wakeUps.usd + idle.usd, unverified };
}

/** Returns the interval of a schedule of every n minutes, or undefined for another form. */
export function minutesOf(schedule: string): number | undefined {
  const match = /^0 \*\/(\d{1,2}) \* \* \* \*$/.exec(schedule);
  return match ? Number(match[1]) : undefined;
}
