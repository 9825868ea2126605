import { addDecimals } from '../billing/decimal.ts';
import type { Distribution } from './distribute.ts';

/** The balance of an author in one currency: a row of the report. Negative if more was refunded than sold. */
export interface Balance {
  /** Sales and refunds in which the author has a part. */
  sales: number;
  amount: string;
}

/**
 * Returns `<author>|<currency>` for each author of the sale; unambiguous, because a currency always has three letters.
 */
export const balanceKeys = ({ payouts, currency }: Distribution): string[] =>
  payouts.map(({ author }) => `${author}|${currency}`);

export const noBalance = (): Balance => ({ sales: 0, amount: '0' });

/** Adds the part of a sale that the author of `key` gets. */
export function bookPayout(balance: Balance, { payouts, currency }: Distribution, key: string): Balance {
  const own = payouts.find(({ author }) => `${author}|${currency}` === key);
  return mergeBalances(balance, { sales: 1, amount: own?.amount ?? '0' });
}

/** Returns the balance of two sets of sales. */
export const mergeBalances = (a: Balance, b: Balance): Balance => ({
  sales: a.sales + b.sales,
  amount: addDecimals(a.amount, b.amount),
});
