/**
 * What a tab of the dashboard costs a month that stays open and visible: a hidden one asks for nothing. It looks at its
 * page by one request, at the pace of web/live/pace.ts; a test holds the two equal.
 */
import type { Operations } from '../../contract/operations.ts';
import { priceOperations, requestUsd } from '../price.ts';
import { type PriceClass, type PriceSheet, unverifiedOf } from '../sheet.ts';
import { DAYS_A_MONTH, type MonthParameters, SECONDS_AN_HOUR } from './month-parameters.ts';

/** While something moves and somebody has touched the page within half an hour; else while something moves. */
const ATTENDED_SECONDS = 3;
const UNATTENDED_SECONDS = 60;
/** While nothing moves: until so long after the last movement, every so often; then no more. */
const STILL = [
  { until: 60, every: 10 },
  { until: 600, every: 30 },
  { until: 1_800, every: 60 },
] as const;

/**
 * Operations of a look, rounded up: the list of batches needs ten queries, that of queues one or two, and a depth may be
 * measured for each of ten queues. A test asks the routes. They matter little: nearly all is the execution.
 */
export const LOOK: Operations = { 'table.query': 12, 'queue.properties': 10 };
/** A look answers well within the second that the platform bills at least. */
const LOOK_SECONDS = 1;

/** Looks of a month, and their price. */
export interface TabMonth {
  looks: number;
  usd: number;
}

/** A tab, by whether somebody uses it. */
export interface OpenTab {
  usdPerLook: number;
  /** Somebody touches the page whenever something moves. */
  attended: TabMonth;
  /** Nobody touches it, day and night. */
  unattended: TabMonth;
  unverified: PriceClass[];
}

/** Looks in so many seconds without movement. */
export function looksWhileStill(seconds: number): number {
  let looks = 0;
  let from = 0;
  for (const { until, every } of STILL) {
    looks += Math.max(0, Math.min(seconds, until) - from) / every;
    from = until;
  }
  return looks;
}

/** The month of an open tab. Something moves in the hours that are not idle, once per batch of the day; at least once. */
export function openTab(
  { idleHours, batches }: Pick<MonthParameters, 'idleHours' | 'batches'>,
  sheet: PriceSheet,
): OpenTab {
  const usdPerLook = requestUsd({ operations: LOOK, seconds: LOOK_SECONDS }, sheet);
  const times = Math.max(1, batches);
  const still = times * looksWhileStill((idleHours * SECONDS_AN_HOUR) / times);
  const movingSeconds = (24 - idleHours) * SECONDS_AN_HOUR;
  const month = (everySeconds: number): TabMonth => {
    const looks = Math.round((movingSeconds / everySeconds + still) * DAYS_A_MONTH);
    return { looks, usd: looks * usdPerLook };
  };
  const { unverified } = priceOperations(LOOK, sheet);
  return {
    usdPerLook,
    attended: month(ATTENDED_SECONDS),
    unattended: month(UNATTENDED_SECONDS),
    unverified: unverifiedOf(sheet, [...unverified, 'functions.execution', 'functions.gbSecond']),
  };
}
