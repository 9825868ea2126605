/** Sums of the lines of a bill. */
import type { Line } from '../../../shared/cost/bill-lines.ts';
import type { Deployment } from '../../../shared/cost/deployed.ts';
import { idleBill } from '../../../shared/cost/idle-bill.ts';
import { type PriceClass, type PriceSheet, unitPrice, unverifiedOf } from '../../../shared/cost/sheet.ts';

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

/** The whole bill of a month without work. */
export interface IdleBill {
  lines: Line[];
  /** Before free grants. */
  totalUsd: number;
  /** What the free grants subtract, if nothing else of the subscription uses them. */
  grantsUsd: number;
  /** The part that grows with the number of pools. */
  perPoolUsd: number;
  unverified: PriceClass[];
}

/** Calculates everything that is billed for the deployment in a month without work. */
export function sumIdleBill(deployment: Deployment, sheet: PriceSheet): IdleBill {
  const lines = idleBill(deployment, sheet);
  const totalUsd = sumOf(lines);
  const onePoolMore = sumOf(idleBill({ ...deployment, pools: deployment.pools + 1 }, sheet));
  return {
    lines,
    totalUsd,
    grantsUsd: freeGrants(lines, sheet),
    perPoolUsd: onePoolMore - totalUsd,
    unverified: unverifiedIn(lines, sheet),
  };
}
