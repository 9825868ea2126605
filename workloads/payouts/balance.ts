import { addDecimals } from '../billing/decimal.ts';
import type { Distribution } from './distribute.ts';

/** What an author is owed in one currency: a row of the report. Below zero when more was refunded than sold. */
export interface Balance {
  /** Sales and refunds that the author has a part of. */
  sales: number;
  amount: string;
}

/** `<author>|<currency>` for each author of the sale; unambiguous, as a currency is always the last three letters. */
export const balanceKeys = ({ payouts, currency }: Distribution): string[] =>
  payouts.map(({ author }) => `${author}|${currency}`);

/** The balance of no sale. */
export const noBalance = (): Balance => ({ sales: 0, amount: '0' });

/** Adds the part that the author of `key` has of a sale. */
export function bookPayout(balance: Balance, { payouts, currency }: Distribution, key: string): Balance {
  const own = payouts.find(({ author }) => `${author}|${currency}` === key);
  return mergeBalances(balance, { sales: 1, amount: own?.amount ?? '0' });
}

/** The balance of two sets of sales. */
export const mergeBalances = (a: Balance, b: Balance): Balance => ({
  sales: a.sales + b.sales,
  amount: addDecimals(a.amount, b.amount),
});
