/** Bodies that are small as sent and large, deep or numerous once they are read. */
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import type { HostileInput } from '../input.ts';

const MiB = 1024 * 1024;
/** The default of brotli takes ten seconds for what repeats. */
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const NDJSON = 'application/x-ndjson';
const BILLING = 'POST workloads/billing/batches';

/** Inputs of the parsers. */
export const UPLOADS: readonly HostileInput[] = [
  {
    name: 'a quarter of a gigabyte of line feeds in a few bytes of brotli',
    route: BILLING,
    headers: { 'content-type': NDJSON, 'content-encoding': 'br' },
    body: () => brotliCompressSync(Buffer.alloc(256 * MiB, '\n'), FAST),
    copies: 4,
    expected: { status: 413, problem: 'too-large' },
  },
  {
    name: 'one endless record',
    route: BILLING,
    headers: { 'content-type': NDJSON, 'content-encoding': 'gzip' },
    body: () => gzipSync(Buffer.alloc(64 * MiB, '1')),
    expected: { status: 413, problem: 'too-large' },
  },
  {
    name: 'an array of a hundred thousand levels',
    route: BILLING,
    headers: { 'content-type': 'application/json' },
    body: () => Buffer.from(`[${'['.repeat(100_000)}${']'.repeat(100_000)}]`),
    expected: { status: 400, problem: 'malformed-record' },
  },
  {
    name: 'text that says it is zstd',
    route: BILLING,
    headers: { 'content-type': NDJSON, 'content-encoding': 'zstd' },
    body: () => Buffer.concat([zstdCompressSync(Buffer.from('{}\n')).subarray(0, 8), Buffer.alloc(MiB, 'x')]),
    expected: { status: 400, problem: 'malformed-encoding' },
  },
];
