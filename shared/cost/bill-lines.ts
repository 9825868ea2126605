/** The lines of a monthly bill: the cause, the operations, their number and their price. */
import { type Operations, totalOperations } from '../contract/operations.ts';
import { priceOperations } from './price.ts';
import { type PriceClass, type PriceSheet, unitPrice, unverifiedOf } from './sheet.ts';

/** `idle`: only without work; `always`: with or without work; `work`: only with work. */
export type When = 'idle' | 'always' | 'work';

/** One line of the bill of a month. */
export interface Line {
  when: When;
  who: string;
  does: string;
  /** Number of operations, executions, actions, GB-seconds, rules or GB; null for a base fee. */
  count: number | null;
  /** In the currency of the sheet. null means that the sheet has no price for this. */
  usd: number | null;
  /** Price classes of the line that have no verified source. */
  unverified: PriceClass[];
  /** The class whose units are counted; absent for operations. */
  priceClass?: PriceClass;
}

/** Units of a price class. */
interface Units {
  priceClass: PriceClass;
  n: number;
  /** Number of units that the fee of another line includes. Defaults to 0. */
  included?: number;
  /** A fee has no count. Defaults to false. */
  fee?: boolean;
}

/** Collects lines and prices them. */
export interface Ledger {
  /** Adds a line of counted operations. */
  operations(when: When, who: string, does: string, operations: Operations): void;
  /** Adds a line of n units of a class. */
  units(when: When, who: string, does: string, units: Units): void;
  lines(): Line[];
}

/** Creates an empty bill on a sheet. Lines with a count of 0 are omitted. */
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
      // What another fee includes is free, whatever the price of the unit.
      const unverified = usd === 0 ? [] : unverifiedOf(sheet, [priceClass]);
      if (n > 0) add({ when, who, does, count: fee ? null : n, usd, unverified, priceClass });
    },
    lines: () => lines,
  };
}

/** Returns the sum of lines, without those that have no price. */
export const sumOf = (lines: readonly Line[]): number => lines.reduce((sum, { usd }) => sum + (usd ?? 0), 0);

/** Returns the unverified classes of lines, without duplicates. */
export const unverifiedIn = (lines: readonly Line[], sheet: PriceSheet): PriceClass[] =>
  unverifiedOf(
    sheet,
    lines.flatMap(({ unverified }) => unverified),
  );

/** Free grants: their class and their amount. A subscription or billing account has each once. */
const GRANTS = [
  ['functions.execution', 'functions.includedExecutions'],
  ['functions.gbSecond', 'functions.includedGbSeconds'],
  ['alert.metric', 'alert.includedMetrics'],
  ['log.gb', 'log.includedGb'],
] as const satisfies readonly (readonly [PriceClass, PriceClass])[];

/** Returns what the free grants subtract from the lines, if nothing else of the subscription uses them. */
export function freeGrants(lines: readonly Line[], sheet: PriceSheet): number {
  return GRANTS.reduce((sum, [priceClass, grant]) => {
    const used = lines.reduce((n, line) => n + (line.priceClass === priceClass ? (line.count ?? 0) : 0), 0);
    return sum + Math.min(used, unitPrice(sheet, grant) ?? 0) * (unitPrice(sheet, priceClass) ?? 0);
  }, 0);
}
