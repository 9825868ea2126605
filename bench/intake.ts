/**
 * Items per second through intake, and its CPU seconds per million items: of the process, and of the main thread alone,
 * which does everything except compression. Run: node bench/intake.ts [items]
 */
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { UploadEncoding, UploadFormat } from '../shared/contract/upload-kinds.ts';
import { readUpload } from '../shared/intake/read-upload.ts';
import type { PayloadBlob } from '../shared/intake/store/block-upload.ts';
import { writePayload } from '../shared/intake/store/write-payload.ts';

const MiB = 1024 * 1024;
const ITEMS = Number(process.argv[2] ?? 500_000);
const RUNS = 3;
/** Bytes that a socket delivers at a time. */
const PIECE_BYTES = 64 * 1024;

const line = (index: number): string =>
  JSON.stringify({
    id: `tx-${index}`,
    account: `acc-${(index * 7919) % 10_007}`,
    amount: ((index * 37) % 100_000) / 100,
    currency: 'EUR',
    at: '2025-01-01T00:00:00Z',
    kind: index % 3 === 0 ? 'refund' : 'charge',
    memo: `order number ${index} of the month, paid by card in a shop`,
  });

const csvLine = (index: number): string =>
  `tx-${index},acc-${(index * 7919) % 10_007},${index % 100_000},EUR,2025-01-01T00:00:00Z,"order ${index}, by card"`;

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) yield bytes.subarray(start, start + PIECE_BYTES);
}

/** Storage that accepts everything immediately, so that only this process is measured. */
const nowhere = {
  upload: async () => ({}),
  stageBlock: async () => ({}),
  commitBlockList: async () => ({}),
} as unknown as PayloadBlob;

interface Case {
  name: string;
  bytes: Buffer;
  format: UploadFormat;
  encoding?: UploadEncoding;
  store?: boolean;
}

/** All in seconds. */
interface Run {
  wall: number;
  process: number;
  mainThread: number;
}

const MICROSECONDS = 1e6;

async function once({ bytes, format, encoding = 'identity', store = true }: Case): Promise<Run> {
  const max = Number.MAX_SAFE_INTEGER;
  const limits = { maxBodyBytes: max, maxDecodedBytes: max, maxRecordBytes: MiB, maxItems: max };
  const chunk = { maxItems: 5_000, maxBytes: MiB };
  const { chunks } = readUpload({ body: pieces(bytes), format, encoding, limits, chunk });
  const started = { wall: performance.now(), process: process.cpuUsage(), mainThread: process.threadCpuUsage() };
  if (store) await writePayload({ blob: nowhere, chunks });
  else for await (const _chunk of chunks);
  const seconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / MICROSECONDS;
  return {
    wall: (performance.now() - started.wall) / 1000,
    process: seconds(process.cpuUsage(started.process)),
    mainThread: seconds(process.threadCpuUsage(started.mainThread)),
  };
}

const lines = Array.from({ length: ITEMS }, (_, index) => line(index));
const ndjson = Buffer.from(`${lines.join('\n')}\n`);
const csv = Buffer.from(`id,account,amount,currency,at,memo\n${lines.map((_, index) => csvLine(index)).join('\n')}\n`);
const cases: Case[] = [
  { name: 'NDJSON, parse and chunk only', bytes: ndjson, format: 'ndjson', store: false },
  { name: 'NDJSON', bytes: ndjson, format: 'ndjson' },
  { name: 'NDJSON, not ASCII', bytes: Buffer.from(ndjson.toString().replaceAll('shop', 'Café ☕')), format: 'ndjson' },
  { name: 'NDJSON, CRLF', bytes: Buffer.from(ndjson.toString().replaceAll('\n', '\r\n')), format: 'ndjson' },
  { name: 'NDJSON, gzip', bytes: gzipSync(ndjson), format: 'ndjson', encoding: 'gzip' },
  { name: 'NDJSON, zstd', bytes: zstdCompressSync(ndjson), format: 'ndjson', encoding: 'zstd' },
  { name: 'JSON array', bytes: Buffer.from(`[${lines.join(',')}]`), format: 'json' },
  { name: 'CSV', bytes: csv, format: 'csv' },
];

console.log(
  `${ITEMS} items of ${Math.round(ndjson.length / ITEMS)} bytes, best of ${RUNS} runs, Node ${process.version}`,
);
for (const each of cases) {
  const runs: Run[] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await once(each));
  const least = (what: keyof Run): number => Math.min(...runs.map((run) => run[what]));
  const perMillion = (what: keyof Run): string => ((least(what) * 1e6) / ITEMS).toFixed(2);
  const rate = Math.round(ITEMS / least('wall')).toLocaleString('en');
  const cpu = `CPU s per million: ${perMillion('process')}, main thread ${perMillion('mainThread')}`;
  console.log(`${each.name.padEnd(30)} ${rate.padStart(10)} items/s   ${cpu}`);
}
