/** The lines of a monthly bill: who does what, how often, and for how much. */
import { type Operations, totalOperations } from '../../contract/operations.ts';
import { priceOperations } from '../price.ts';
import { type PriceClass, type PriceSheet, unitPrice } from '../sheet.ts';

/** `idle`: only without work; `always`: with work or without; `work`: only with work. */
export type When = 'idle' | 'always' | 'work';

/** One line of the bill of a month. */
export interface Line {
  when: When;
  who: string;
  does: string;
  /** How many operations, executions, actions or GB-seconds; null for a base fee. */
  count: number | null;
  /** null: the sheet has no price for this. */
  usd: number | null;
}

/** Collects lines and prices them. */
export interface Ledger {
  /** A line of counted operations. */
  operations(when: When, who: string, does: string, operations: Operations): void;
  /** A line of n units of a class, of which the first `included` are in a fee of another line. */
  units(
    when: When,
    who: string,
    does: string,
    units: { priceClass: PriceClass; n: number; included?: number; fee?: boolean },
  ): void;
  lines(): Line[];
}

/** An empty bill on that sheet. Lines of nothing are left out. */
export function createLedger(sheet: PriceSheet): Ledger {
  const lines: Line[] = [];
  const add = (line: Line) => {
    if (line.count !== 0) lines.push(line);
  };
  return {
    operations(when, who, does, operations) {
      const { totalUsd, unpriced } = priceOperations(operations, sheet);
      add({ when, who, does, count: totalOperations(operations), usd: unpriced.length > 0 ? null : totalUsd });
    },
    units(when, who, does, { priceClass, n, included = 0, fee = false }) {
      const price = unitPrice(sheet, priceClass);
      const usd = price === null ? null : Math.max(0, n - included) * price;
      add({ when, who, does, count: fee ? null : n, usd });
    },
    lines: () => lines,
  };
}
