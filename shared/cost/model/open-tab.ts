/**
 * The cost per month of a dashboard tab that stays open and visible (a hidden one sends no requests). It refreshes its
 * page with one request, at the intervals of web/live/pace.ts; a test checks that both are equal.
 */
import type { Operations } from '../../contract/operations.ts';
import { priceOperations, requestUsd } from '../price.ts';
import { type PriceClass, type PriceSheet, unverifiedOf } from '../sheet.ts';
import { DAYS_PER_MONTH, type MonthParameters, SECONDS_PER_HOUR } from './month-parameters.ts';

/**
 * Interval while something changes: the first if a user has touched the page within half an hour, otherwise the second.
 */
const ATTENDED_SECONDS = 3;
const UNATTENDED_SECONDS = 60;
/**
 * Intervals while nothing changes, each until that many seconds after the last change. After the last one, refreshes
 * stop.
 */
const STILL = [
  { until: 60, every: 10 },
  { until: 600, every: 30 },
  { until: 1_800, every: 60 },
] as const;

/**
 * Operations of one refresh, rounded up: the list of batches needs ten queries, the list of queues one or two, and the
 * depth of each of ten queues may be measured. A test calls the routes. They matter little: nearly the whole price is
 * the execution.
 */
export const REFRESH: Operations = { 'table.query': 12, 'queue.properties': 10 };
/** A refresh responds well within the second that the platform bills at least. */
const REFRESH_SECONDS = 1;

/** Refreshes per month, and their price. */
export interface TabMonth {
  refreshes: number;
  usd: number;
}

/** The cost of a tab, with and without a user. */
export interface OpenTab {
  usdPerRefresh: number;
  /** A user touches the page whenever something changes. */
  attended: TabMonth;
  /** No user touches the page, day and night. */
  unattended: TabMonth;
  unverified: PriceClass[];
}

/** Returns the number of refreshes in this many seconds without change. */
export function refreshesWhileStill(seconds: number): number {
  let refreshes = 0;
  let from = 0;
  for (const { until, every } of STILL) {
    refreshes += Math.max(0, Math.min(seconds, until) - from) / every;
    from = until;
  }
  return refreshes;
}

/**
 * Prices the month of an open tab. Something changes in the hours that are not idle, once per batch of the day, at
 * least once.
 */
export function openTab(
  { idleHours, batches }: Pick<MonthParameters, 'idleHours' | 'batches'>,
  sheet: PriceSheet,
): OpenTab {
  const usdPerRefresh = requestUsd({ operations: REFRESH, seconds: REFRESH_SECONDS }, sheet);
  const times = Math.max(1, batches);
  const still = times * refreshesWhileStill((idleHours * SECONDS_PER_HOUR) / times);
  const movingSeconds = (24 - idleHours) * SECONDS_PER_HOUR;
  const month = (everySeconds: number): TabMonth => {
    const refreshes = Math.round((movingSeconds / everySeconds + still) * DAYS_PER_MONTH);
    return { refreshes, usd: refreshes * usdPerRefresh };
  };
  const { unverified } = priceOperations(REFRESH, sheet);
  return {
    usdPerRefresh,
    attended: month(ATTENDED_SECONDS),
    unattended: month(UNATTENDED_SECONDS),
    unverified: unverifiedOf(sheet, [...unverified, 'functions.execution', 'functions.gbSecond']),
  };
}
