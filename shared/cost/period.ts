/** The cost of a day or a month: work is counted, wake-ups are computed from it, idling from the clock. */
import { addOperations, type Operations } from '../contract/operations.ts';
import type { DurableBackend } from './counts.ts';
import { DAYS_A_MONTH, DEFAULT_PARAMETERS, type MonthParameters } from './model/month-parameters.ts';
import { sluiceLines } from './model/sluice-month.ts';
import { priceOperations } from './price.ts';
import { receipt } from './receipt.ts';
import type { PriceSheet } from './sheet.ts';

/** What one batch has spent, as in its receipt. */
export interface BatchSpent {
  items: number;
  operations: Operations;
  drainOperations: Operations;
}

/** What batches have spent, added up. */
export interface PeriodSpent {
  batches: number;
  items: number;
  operations: Operations;
  drainOperations: Operations;
}

/** Before the first batch. */
export const NOTHING_SPENT: PeriodSpent = { batches: 0, items: 0, operations: {}, drainOperations: {} };

/** Adds a batch. */
export function addBatch(sum: PeriodSpent, batch: BatchSpent): PeriodSpent {
  return {
    batches: sum.batches + 1,
    items: sum.items + batch.items,
    operations: addOperations(sum.operations, batch.operations),
    drainOperations: addOperations(sum.drainOperations, batch.drainOperations),
  };
}

/** A line of what is billed while nothing is to be done. */
export interface IdleLine {
  who: string;
  does: string;
  count: number | null;
  usd: number | null;
}

/** The timers that fire while nothing is to be done; 0 minutes: never. */
export type Timers = Pick<MonthParameters, 'sweepMinutes' | 'inboxMinutes'>;

/** A month without work, cut to `days`. */
export function idleLines(days: number, timers: Timers, { prices, backend }: PeriodBasis): IdleLine[] {
  const fraction = days / DAYS_A_MONTH;
  const parameters = { ...DEFAULT_PARAMETERS, ...timers, idleHours: 24, batches: 0, items: 0, backend };
  return sluiceLines(parameters, { operations: {}, actions: 0, batches: 0 }, prices)
    .filter(({ when }) => when !== 'work')
    .map(({ who, does, count, usd }) => ({
      who,
      does,
      count: count === null ? null : count * fraction,
      usd: usd === null ? null : usd * fraction,
    }));
}

/** USD of the three parts; `storageOperations` is of all receipts together. */
export interface PeriodCost {
  /** Counted: for the batches alone, and their shares of drains. */
  work: { operations: Operations; usd: number };
  /** Computed: what the Durable extension does or bills, and executions. */
  wakeUps: { operations: Operations; actions: number; executions: { count: number; gbSeconds: number }; usd: number };
  storageOperations: number;
  idle: { lines: IdleLine[]; usd: number };
  totalUsd: number;
}

/** What prices are reckoned with. */
export interface PeriodBasis {
  prices: PriceSheet;
  backend: DurableBackend;
}

/** Prices what batches have spent: the sum of their receipts, in what is counted and what is computed. */
export function priceSpent(
  { items, operations, drainOperations }: PeriodSpent,
  { prices, backend }: PeriodBasis,
): Pick<PeriodCost, 'work' | 'wakeUps' | 'storageOperations'> {
  const all = receipt({ operations, drainOperations, items, backend }, prices);
  const counted = addOperations(all.operations, all.drainOperations);
  const { totalUsd: usd } = priceOperations(counted, prices);
  const { hostOperations, actions, executions, storageOperations } = all;
  return {
    work: { operations: counted, usd },
    wakeUps: { operations: hostOperations, actions, executions, usd: all.totalUsd - usd },
    storageOperations,
  };
}

/** Prices a period of which `days` have passed. */
export function periodCost(
  spent: PeriodSpent,
  period: { days: number; timers: Timers },
  basis: PeriodBasis,
): PeriodCost {
  const lines = idleLines(period.days, period.timers, basis);
  const { work, wakeUps, storageOperations } = priceSpent(spent, basis);
  const idle = { lines, usd: lines.reduce((sum, { usd }) => sum + (usd ?? 0), 0) };
  return { work, wakeUps, storageOperations, idle, totalUsd: work.usd + wakeUps.usd + idle.usd };
}

/** Minutes between firings of a schedule of every so many minutes; undefined for one of another form. */
export function minutesOf(schedule: string): number | undefined {
  const match = /^0 \*\/(\d{1,2}) \* \* \* \*$/.exec(schedule);
  return match ? Number(match[1]) : undefined;
}
