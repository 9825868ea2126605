/** The lines of a monthly bill: what causes it, how much of it, and its price. */
import { type Operations, totalOperations } from '../contract/operations.ts';
import { priceOperations } from './price.ts';
import { type PriceClass, type PriceSheet, unitPrice, unverifiedOf } from './sheet.ts';

/** `idle`: only without work; `always`: with or without work; `work`: only with work. */
export type When = 'idle' | 'always' | 'work';

export interface Line {
  when: When;
  who: string;
  does: string;
  /** Number of operations, executions, actions, GB-seconds, rules or GB; null for a base fee. */
  count: number | null;
  /** In the currency of the sheet. null means that the sheet has no price for this. */
  usd: number | null;
  unverified: PriceClass[];
  /** The class whose units are counted; absent for operations. */
  priceClass?: PriceClass;
}

/** A line before it is priced: counted operations, or units of a price class. `when` defaults to `always`. */
export type Cause = Pick<Line, 'who' | 'does'> & { when?: When } & ({ operations: Operations } | Units);

/** `included`: the units that the fee of another line includes; defaults to 0. A fee has no count. */
interface Units {
  priceClass: PriceClass;
  n: number;
  included?: number;
  isFee?: boolean;
}

/** Prices causes by a sheet. Those of which there are none are omitted. */
export const priceLines = (causes: readonly Cause[], sheet: PriceSheet): Line[] =>
  causes
    .map(({ when = 'always', who, does, ...spent }) => ({ when, who, does, ...amountOf(spent, sheet) }))
    .filter(({ count }) => count !== 0);

function amountOf(spent: { operations: Operations } | Units, sheet: PriceSheet): Omit<Line, 'when' | 'who' | 'does'> {
  if ('operations' in spent) {
    const { totalUsd, unpriced, unverified } = priceOperations(spent.operations, sheet);
    return { count: totalOperations(spent.operations), usd: unpriced.length > 0 ? null : totalUsd, unverified };
  }
  const { priceClass, n, included = 0, isFee = false } = spent;
  const price = unitPrice(sheet, priceClass);
  const usd = price === null ? null : Math.max(0, n - included) * price;
  // What another fee includes is free, whatever the price of the unit.
  const unverified = usd === 0 ? [] : unverifiedOf(sheet, [priceClass]);
  return { count: isFee ? null : n, usd, unverified, priceClass };
}
