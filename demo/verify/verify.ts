import type { Answered } from '../../local/batch/submission.ts';
import { chargeOf } from './charge.ts';
import { writeAmount } from './fraction.ts';
import { readRecords } from './read-records.ts';

/** Expected totals of an account in one currency in the report. */
export interface ExpectedTotals {
  lines: number;
  net: string;
  tax: string;
  gross: string;
}

/** The expected result of a file. */
export interface Expected {
  accepted: number;
  succeeded: number;
  dead: number;
  /** By `<account>|<currency>`. */
  totals: Map<string, ExpectedTotals>;
}

/** Calculates the expected result of a batch directly from its file, without any function of the workload. */
export async function expectFrom(file: string): Promise<Expected> {
  const sums = new Map<string, { lines: number; net: bigint; tax: bigint; decimals: number }>();
  let accepted = 0;
  let succeeded = 0;
  for await (const record of readRecords(file)) {
    accepted += 1;
    const charge = chargeOf(record);
    if (!charge) continue;
    succeeded += 1;
    const key = `${charge.account}|${charge.currency}`;
    const sum = sums.get(key) ?? { lines: 0, net: 0n, tax: 0n, decimals: charge.decimals };
    sums.set(key, { ...sum, lines: sum.lines + 1, net: sum.net + charge.net, tax: sum.tax + charge.tax });
  }
  const totals = new Map(
    [...sums].map(([key, { lines, net, tax, decimals }]) => {
      const write = (minor: bigint): string => writeAmount(minor, decimals);
      return [key, { lines, net: write(net), tax: write(tax), gross: write(net + tax) }];
    }),
  );
  return { accepted, succeeded, dead: accepted - succeeded, totals };
}

/** Describes every difference between the expected and the actual result; empty if they are equal. */
export function differences(expected: Expected, { counts, report }: Answered): string[] {
  const found: string[] = [];
  const compare = (what: string, want: unknown, got: unknown): void => {
    if (want !== got) found.push(`${what}: expected ${JSON.stringify(want)}, got ${JSON.stringify(got)}`);
  };
  for (const name of ['accepted', 'succeeded', 'dead'] as const) compare(name, expected[name], counts[name]);
  const missing = new Map(expected.totals);
  for (const { key, value } of report) {
    const want = missing.get(key);
    if (!missing.delete(key)) found.push(`${key}: ${expected.totals.has(key) ? 'is there twice' : 'not expected'}`);
    else
      for (const [field, total] of Object.entries(want ?? {})) compare(`${key} ${field}`, total, fieldOf(value, field));
  }
  for (const key of missing.keys()) found.push(`${key}: missing from the report`);
  return found;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}
