/** Finds the size from which Sluice is the cheaper design. */

import type { PriceSheet } from '../../../shared/cost/sheet.ts';
import { type Month, modelMonth } from './model.ts';
import type { MonthParameters } from './month-parameters.ts';

/** The smallest values at which Sluice's month costs less, all else equal. null means at no value up to a trillion. */
export interface BreakEven {
  /** Total number of polling threads, compared with always-on pollers. */
  pollingThreads: number | null;
  /** Items per day, compared with always-on pollers. */
  itemsAgainstPollers: number | null;
  /** Items per day, compared with the Functions queue trigger. */
  itemsAgainstTrigger: number | null;
  /** Number of polling threads from which their polls of empty queues cost more than the notification layer. */
  notificationThreads: number | null;
}

const LIMIT = 1e12;

/**
 * Returns the smallest whole number from 0 from which `isCheaper` is always true, or null if it is not true for LIMIT.
 */
function smallest(isCheaper: (n: number) => boolean): number | null {
  if (!isCheaper(LIMIT)) return null;
  let [low, high] = [-1, LIMIT];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isCheaper(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Searches by bisection: a batch consists of whole chunks, so there is no closed form. */
export function breakEven(parameters: MonthParameters, sheet: PriceSheet): BreakEven {
  const itemsUntilCheaperThan = (other: (month: Month) => number) =>
    smallest((items) => {
      const month = modelMonth({ ...parameters, items }, sheet);
      return month.sluice.totalUsd < other(month);
    });
  const { sluice, notification } = modelMonth(parameters, sheet);
  const withThreads = (pollers: number) => modelMonth({ ...parameters, queues: 1, pollers }, sheet);
  return {
    pollingThreads: smallest((threads) => sluice.totalUsd < withThreads(threads).pollers.totalUsd),
    notificationThreads: smallest((threads) => notification.costUsd < withThreads(threads).notification.savedUsd),
    itemsAgainstPollers: itemsUntilCheaperThan((month) => month.pollers.totalUsd),
    itemsAgainstTrigger: itemsUntilCheaperThan((month) => month.trigger.totalUsd),
  };
}
