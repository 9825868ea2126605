/** Uploads whose records, or the places of their records, need far more memory or time than their bytes suggest. */
import { brotliCompressSync, constants, zstdCompressSync } from 'node:zlib';
import type { HostileInput } from '../input.ts';
import { type Answer, type Door, send } from '../send.ts';

const MiB = 1024 * 1024;
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const NDJSON = 'application/x-ndjson';
const BILLING = 'POST workloads/billing/batches';
const IRREGULAR = '1\n1\n\n';

const csv = { 'content-type': 'text/csv' };
/** A row with a value in the last of `columns`. */
const lastOnly = (columns: number): string => `${','.repeat(columns - 1)}1\n`;

/** Reads an item and the dead letters of each accepted batch: both need the lines of its items. */
async function readLines(door: Door, answers: readonly Answer[]): Promise<void> {
  for (const { text } of answers) {
    const { id } = JSON.parse(text) as { id: string };
    for (const route of ['items/0', 'items?from=900000&limit=10', 'dead-letters?limit=10']) {
      const { status } = await send(door, { route: `GET batches/${id}/${route}`, maxMs: 60_000 });
      if (status !== 200) throw new Error(`GET ${route}: expected 200, got ${status}.`);
    }
  }
}

/** Inputs of what intake keeps per record and per column. */
export const RECORDS: readonly HostileInput[] = [
  {
    name: 'records with a blank line after every second one, in 300 bytes of brotli',
    route: BILLING,
    headers: { 'content-type': NDJSON, 'content-encoding': 'br' },
    body: () => brotliCompressSync(Buffer.from(IRREGULAR.repeat((160 * MiB) / IRREGULAR.length)), FAST),
    copies: 2,
    expected: { status: 413, problem: 'too-large' },
  },
  {
    name: 'a million records with a blank line after every second one, which are then read',
    route: BILLING,
    headers: { 'content-type': NDJSON },
    body: () => Buffer.from(IRREGULAR.repeat(500_000)),
    expected: { status: 202 },
    after: readLines,
  },
  {
    name: 'CSV with names of 99 levels',
    route: BILLING,
    headers: csv,
    body: () =>
      Buffer.from(`${Array.from({ length: 9 }, (_, n) => `${'a.'.repeat(98)}${n}`).join()}\n${lastOnly(9).repeat(20)}`),
    expected: { status: 400, problem: 'malformed-record' },
  },
  {
    name: 'CSV with as many columns and levels as a header may have',
    route: BILLING,
    headers: csv,
    body: () => {
      const names = Array.from({ length: 4_000 }, (_, n) => `${'a.'.repeat(2)}${n}.${'b.'.repeat(12)}c`);
      return Buffer.from(`${names.join()}\n${lastOnly(4_000).repeat(500)}`);
    },
    expected: { status: 202 },
  },
  {
    name: 'CSV whose records repeat a long name, in a few bytes of brotli',
    route: BILLING,
    headers: { ...csv, 'content-encoding': 'br' },
    body: () => brotliCompressSync(Buffer.from(`${'n'.repeat(1_000)}\n${'1\n'.repeat(16 * MiB)}`), FAST),
    copies: 2,
    expected: { status: 413, problem: 'too-large' },
  },
  {
    name: 'a megabyte of empty zstd frames',
    route: BILLING,
    headers: { 'content-type': NDJSON, 'content-encoding': 'zstd' },
    body: () => Buffer.alloc(900_000, zstdCompressSync('')),
    copies: 4,
    expected: { status: 413, problem: 'too-large' },
  },
];
