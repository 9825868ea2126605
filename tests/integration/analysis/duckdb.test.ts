import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlobServiceClient } from '@azure/storage-blob';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { usageBlocks } from '../../../demo/usage/generate.ts';
import { finished, report, submit } from '../../helpers/client.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';
import { documentedSql, query, writeBlobs } from './query.ts';

let folder: string;
let stack: TestStack;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-analysis-'));
  stack = await startStack({ settings: { SLUICE_THREADS: '1' } });
});
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Totals {
  lines: number;
  net: string;
  tax: string;
  gross: string;
}

/** Rows of the query in the form of a report: by key, amounts without the digits that a common column type adds. */
const byKey = (rows: Record<string, unknown>[]): Record<string, Totals> =>
  Object.fromEntries(rows.map((row) => [row.key, plain(row)]));

const plain = ({ lines, net, tax, gross }: Record<string, unknown>): Totals => ({
  lines: Number(lines),
  ...{ net: trimmed(net), tax: trimmed(tax), gross: trimmed(gross) },
});

const trimmed = (amount: unknown): string =>
  String(amount)
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');

it('the results of a day sum to the totals of the reports with the query of docs/analysis.md', async () => {
  const uploads = [11, 12].map((seed) => [...usageBlocks({ items: 6_000, seed })].join(''));
  const batches = await Promise.all(uploads.map((upload) => submit(stack, upload)));
  const ends = await Promise.all(batches.map(({ id }) => finished(stack, id)));
  const reports = await Promise.all(batches.map(({ id }) => report(stack, id)));

  await writeBlobs(folder, await download(stack.storage));
  const rows = byKey(await query(folder, await documentedSql('Totals of a day')));

  expect(ends.reduce((sum, { counts }) => sum + counts.dead, 0)).toBeGreaterThan(0);
  expect(rows).toEqual(added(reports as Record<string, Totals>[]));
});

async function download(storage: string): Promise<Record<string, Uint8Array>> {
  const container = BlobServiceClient.fromConnectionString(storage).getContainerClient('results');
  const blobs: Record<string, Uint8Array> = {};
  for await (const { name } of container.listBlobsFlat()) {
    blobs[name] = await container.getBlobClient(name).downloadToBuffer();
  }
  return blobs;
}

/** The sum of reports, with thousandths as whole numbers. Uses neither the workload's arithmetic nor DuckDB's. */
function added(reports: Record<string, Totals>[]): Record<string, Totals> {
  const sums = new Map<string, { lines: number; net: bigint; tax: bigint; gross: bigint }>();
  for (const [key, { lines, ...amounts }] of reports.flatMap((one) => Object.entries(one))) {
    const sum = sums.get(key) ?? { lines: 0, net: 0n, tax: 0n, gross: 0n };
    const more = { lines: sum.lines + lines, net: sum.net, tax: sum.tax, gross: sum.gross };
    for (const name of ['net', 'tax', 'gross'] as const) more[name] += thousandths(amounts[name]);
    sums.set(key, more);
  }
  const write = (units: bigint): string => trimmed(fixed(units));
  const rows = [...sums].map(([key, { lines, net, tax, gross }]): [string, Totals] => [
    key,
    { lines, net: write(net), tax: write(tax), gross: write(gross) },
  ]);
  return Object.fromEntries(rows);
}

function thousandths(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(3, '0'));
}

function fixed(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(4, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -3)}.${digits.slice(-3)}`;
}
