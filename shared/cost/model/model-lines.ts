/** The lines of a monthly bill: who does what, how often, and for how much. */
import { type Operations, totalOperations } from '../../contract/operations.ts';
import { priceOperations } from '../price.ts';
import { type PriceClass, type PriceSheet, unitPrice, unverifiedOf } from '../sheet.ts';

/** `idle`: only without work; `always`: with work or without; `work`: only with work. */
export type When = 'idle' | 'always' | 'work';

/** One line of the bill of a month. */
export interface Line {
  when: When;
  who: string;
  does: string;
  /** How many operations, executions, actions, GB-seconds, rules or GB; null for a base fee. */
  count: number | null;
  /** In the currency of the sheet; null: the sheet has no price for this. */
  usd: number | null;
  /** Classes of the price that have no verified source. */
  unverified: PriceClass[];
  /** The class whose units are counted; none for operations. */
  priceClass?: PriceClass;
}

/** Units of a price class. */
interface Units {
  priceClass: PriceClass;
  n: number;
  /** The first so many are in a fee of another line; default none. */
  included?: number;
  /** A fee is not counted; default false. */
  fee?: boolean;
}

/** Collects lines and prices them. */
export interface Ledger {
  /** A line of counted operations. */
  operations(when: When, who: string, does: string, operations: Operations): void;
  /** A line of n units of a class. */
  units(when: When, who: string, does: string, units: Units): void;
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
      const { totalUsd, unpriced, unverified } = priceOperations(operations, sheet);
      const usd = unpriced.length > 0 ? null : totalUsd;
      add({ when, who, does, count: totalOperations(operations), usd, unverified });
    },
    units(when, who, does, { priceClass, n, included = 0, fee = false }) {
      const price = unitPrice(sheet, priceClass);
      const usd = price === null ? null : Math.max(0, n - included) * price;
      // What another fee includes is free whatever the unit costs.
      const unverified = usd === 0 ? [] : unverifiedOf(sheet, [priceClass]);
      if (n > 0) add({ when, who, does, count: fee ? null : n, usd, unverified, priceClass });
    },
    lines: () => lines,
  };
}

/** The sum of lines; those without a price are not in it. */
export const sumOf = (lines: readonly Line[]): number => lines.reduce((sum, { usd }) => sum + (usd ?? 0), 0);

/** The unverified classes that lines stand on, once each. */
export const unverifiedIn = (lines: readonly Line[], sheet: PriceSheet): PriceClass[] =>
  unverifiedOf(
    sheet,
    lines.flatMap(({ unverified }) => unverified),
  );

/** Free grants: what they are for, and how much of it. A subscription or billing account has each once. */
const GRANTS = [
  ['functions.execution', 'functions.includedExecutions'],
  ['functions.gbSecond', 'functions.includedGbSeconds'],
  ['alert.metric', 'alert.includedMetrics'],
  ['log.gb', 'log.includedGb'],
] as const satisfies readonly (readonly [PriceClass, PriceClass])[];

/** What the free grants take off the lines, if nothing else of the subscription uses them. */
export function freeGrants(lines: readonly Line[], sheet: PriceSheet): number {
  return GRANTS.reduce((sum, [priceClass, grant]) => {
    const used = lines.reduce((n, line) => n + (line.priceClass === priceClass ? (line.count ?? 0) : 0), 0);
    return sum + Math.min(used, unitPrice(sheet, grant) ?? 0) * (unitPrice(sheet, priceClass) ?? 0);
  }, 0);
}
