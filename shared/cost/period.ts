/** The cost of a day or a month: work is counted, wake-ups are computed from it, idling from the clock. */
import { addOperations, type Operations } from '../contract/operations.ts';
import { DURABLE_ACTION_ON_STORAGE, timesOperations } from './counts.ts';
import { drainAllocation, type EndedChunks } from './drain-allocation.ts';
import { DAYS_A_MONTH, DEFAULT_PARAMETERS, type MonthParameters } from './model/month-parameters.ts';
import { sluiceLines } from './model/sluice-month.ts';
import { priceOperations } from './price.ts';
import type { PriceSheet } from './sheet.ts';

/** What one batch has spent. */
export interface BatchSpent extends EndedChunks {
  items: number;
  operations: Operations;
}

/** What batches have spent, added up. */
export interface PeriodSpent {
  batches: number;
  items: number;
  operations: Operations;
  drainOperations: Operations;
  actions: number;
}

/** Before the first batch. */
export const NOTHING_SPENT: PeriodSpent = { batches: 0, items: 0, operations: {}, drainOperations: {}, actions: 0 };

/** Adds a batch. */
export function addBatch(sum: PeriodSpent, batch: BatchSpent): PeriodSpent {
  const { drainOperations, actions } = drainAllocation(batch);
  return {
    batches: sum.batches + 1,
    items: sum.items + batch.items,
    operations: addOperations(sum.operations, batch.operations),
    drainOperations: addOperations(sum.drainOperations, drainOperations),
    actions: sum.actions + actions,
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
export function idleLines(days: number, timers: Timers, sheet: PriceSheet): IdleLine[] {
  const fraction = days / DAYS_A_MONTH;
  const parameters = { ...DEFAULT_PARAMETERS, ...timers, idleHours: 24, batches: 0, items: 0 };
  return sluiceLines(parameters, { operations: {}, actions: 0, batches: 0 }, sheet)
    .filter(({ when }) => when !== 'work')
    .map(({ who, does, count, usd }) => ({
      who,
      does,
      count: count === null ? null : count * fraction,
      usd: usd === null ? null : usd * fraction,
    }));
}

/** USD of the three parts. */
export interface PeriodCost {
  work: { operations: Operations; usd: number };
  wakeUps: { operations: Operations; actions: number; usd: number };
  idle: { lines: IdleLine[]; usd: number };
  totalUsd: number;
}

/** Prices what batches have spent: what is counted, and the wake-ups that follow from it. */
export function priceSpent(spent: PeriodSpent, sheet: PriceSheet): Pick<PeriodCost, 'work' | 'wakeUps'> {
  const woken = addOperations(spent.drainOperations, timesOperations(DURABLE_ACTION_ON_STORAGE, spent.actions));
  return {
    work: { operations: spent.operations, usd: priceOperations(spent.operations, sheet).totalUsd },
    wakeUps: { operations: woken, actions: spent.actions, usd: priceOperations(woken, sheet).totalUsd },
  };
}

/** Prices a period of which `days` have passed. */
export function periodCost(
  spent: PeriodSpent,
  period: { days: number; timers: Timers },
  sheet: PriceSheet,
): PeriodCost {
  const lines = idleLines(period.days, period.timers, sheet);
  const { work, wakeUps } = priceSpent(spent, sheet);
  const idle = { lines, usd: lines.reduce((sum, { usd }) => sum + (usd ?? 0), 0) };
  return { work, wakeUps, idle, totalUsd: work.usd + wakeUps.usd + idle.usd };
}

/** Minutes between firings of a schedule of every so many minutes; undefined for one of another form. */
export function minutesOf(schedule: string): number | undefined {
  const match = /^0 \*\/(\d{1,2}) \* \* \* \*$/.exec(schedule);
  return match ? Number(match[1]) : undefined;
}
