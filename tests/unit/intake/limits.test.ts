import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { UploadEncoding } from '../../../shared/contract/upload-kinds.ts';
import { MAX_BLANK_BYTES } from '../../../shared/intake/limits.ts';
import { parseCsv } from '../../../shared/intake/parse/csv/parse-csv.ts';
import { decodeUpload } from '../../../shared/intake/parse/decode-upload.ts';
import { parseJsonArray } from '../../../shared/intake/parse/parse-json-array.ts';
import { parseNdjson } from '../../../shared/intake/parse/parse-ndjson.ts';
import { readUpload } from '../../../shared/intake/read-upload.ts';
import { byteByByte, collect, cut, problemOf, recordsOf } from './uploads.ts';

const MiB = 1024 * 1024;
const limits = { maxRecordBytes: 256 * 1024 };

/** Divides the text into pieces as from a decoder, at arbitrary places. */
async function* pieces(text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += 65_537) yield bytes.subarray(start, start + 65_537);
}

const FORMATS = [
  ['NDJSON', parseNdjson, '1\n', '2\n', '\n'],
  ['NDJSON with lines of spaces', parseNdjson, '1\n', '2\n', ' \t\r\n'],
  ['CSV', parseCsv, 'a\n1\n', '2\n', '\n'],
  ['CSV with CRLF', parseCsv, 'a\n1\n', '2\n', '\r\n'],
  ['a JSON array', parseJsonArray, '[1,', '2]', '\n'],
  ['a JSON array with spaces', parseJsonArray, '[1,', '2]', ' '],
] as const;

describe.each(FORMATS)('%s', (_name, parse, head, tail, unit) => {
  const blanks = unit.repeat(MAX_BLANK_BYTES / unit.length);

  it('accepts a mebibyte of consecutive blanks, also several times', async () => {
    const text = head.startsWith('[') ? `${head}${blanks}3,${blanks}${tail}` : `${head}${blanks}3\n${blanks}${tail}`;
    const records = (await recordsOf(parse(pieces(text), limits))).map(
      (record) => /[123]/.exec(record.split(': ')[1] ?? '')?.[0],
    );
    expect(records).toEqual(['1', '3', '2']);
  });

  it('refuses more, with the line, before the rest is read', async () => {
    let given = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      yield Buffer.from(head);
      for (; ; given += blanks.length / 16) yield Buffer.from(blanks.slice(0, blanks.length / 16));
    }
    const problem = await problemOf(parse(endless(), limits));
    expect(problem).toMatchObject({
      type: 'too-large',
      detail: expect.stringMatching(/Over 1048576 bytes without a record/),
    });
    expect(problem?.at?.line).toBeGreaterThan(unit.includes('\n') ? 100_000 : 0);
    expect(given).toBeLessThan(2 * MAX_BLANK_BYTES);
  });
});

describe('a body that decodes to over 1,100 times its size', () => {
  const unbounded = { maxBodyBytes: 1_000 * MiB, maxDecodedBytes: 1_000 * MiB };
  const zeros = (mebibytes: number): Buffer => Buffer.alloc(mebibytes * MiB, '1');
  const brotli = (bytes: Buffer): Buffer =>
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

  it.each([
    ['br', brotli],
    ['zstd', zstdCompressSync],
  ] as const)('is accepted up to 64 MiB, and refused above: %s', async (encoding, compress) => {
    const body = compress(zeros(66));
    expect(zeros(66).length / body.length).toBeGreaterThan(1_100);

    const problem = await problemOf(decodeUpload(cut(body), { encoding, limits: unbounded }));

    expect(problem).toMatchObject({
      type: 'too-large',
      detail: expect.stringMatching(/decoded bytes, and over 1100 per byte/),
    });
    expect(await problemOf(decodeUpload(cut(compress(zeros(64))), { encoding, limits: unbounded }))).toBeUndefined();
  });

  it('cannot be created with gzip', async () => {
    const pieces = await collect(decodeUpload(cut(gzipSync(zeros(66))), { encoding: 'gzip', limits: unbounded }));
    expect(pieces.reduce((sum, { length }) => sum + length, 0)).toBe(66 * MiB);
  });
});

describe('CSV whose records have over 1,100 times the bytes of the body', () => {
  const csv = `${'h'.repeat(1_024)}\n${'1\n'.repeat(66_000)}`;
  const chunksOf = (encoding: UploadEncoding, body: Buffer) =>
    readUpload({
      ...{ body: cut(body), format: 'csv', encoding, chunk: { maxItems: 5_000, maxBytes: MiB } },
      limits: { ...limits, maxBodyBytes: MiB, maxDecodedBytes: 1_000 * MiB, maxItems: 1e9 },
    }).chunks;

  it.each([
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['gzip', gzipSync],
  ] as const)('is refused if the names of its header cause it: %s', async (encoding, compress) => {
    expect(await problemOf(chunksOf(encoding, compress(Buffer.from(csv))))).toMatchObject({
      type: 'too-large',
      detail: expect.stringMatching(/bytes of records as JSON, and over 1100 per byte.* send it without compression/),
    });
  });

  it('does not exist without compression', async () => {
    expect(await problemOf(chunksOf('identity', Buffer.from(csv)))).toBeUndefined();
  });
});

describe('a body of few bytes', () => {
  const read = (text: string, maxItems: number, encoding: UploadEncoding) =>
    readUpload({
      body: cut(encoding === 'br' ? brotliCompressSync(text) : text),
      ...{ format: 'ndjson', encoding, chunk: { maxItems, maxBytes: MiB } },
      limits: { ...limits, maxBodyBytes: 10 * MiB, maxDecodedBytes: 1_000 * MiB, maxItems: 1e9 },
    }).chunks;

  it('becomes at most 100,000 records, and 32 per byte', async () => {
    expect(await problemOf(read('1\n'.repeat(100_000), 5_000, 'br'))).toBeUndefined();
    expect(await problemOf(read('1\n'.repeat(400_000), 5_000, 'br'))).toMatchObject({
      type: 'too-large',
      detail: expect.stringContaining('over 100000 records, and over 32 per byte'),
    });
    expect(await problemOf(read('1\n'.repeat(400_000), 5_000, 'identity'))).toBeUndefined();
  });

  it('becomes at most 1,000 chunks, and 8 per byte', async () => {
    expect(await problemOf(read('1\n'.repeat(8_000), 8, 'br'))).toBeUndefined();
    expect(await problemOf(read('1\n'.repeat(8_001), 8, 'br'))).toMatchObject({
      type: 'too-large',
      detail: expect.stringContaining('over 1000 chunks, and over 8 per byte'),
    });
    expect(await problemOf(read('1\n'.repeat(8_001), 8, 'identity'))).toBeUndefined();
  });

  it.each([
    ['sequence numbers', (n: number) => `${n}`],
    ['names with a number', (n: number) => `{"file":"img-${String(n).padStart(8, '0')}.jpg"}`],
    ['one bit of information', (n: number) => `{"v":${Math.imul(n, 0x9e3779b1) ** 2 % 7 > 3}}`],
  ])('may consist of distinct records, even one per chunk: %s', async (_what, record) => {
    const text = Array.from({ length: 12_000 }, (_, n) => `${record(n)}\n`).join('');
    expect(await problemOf(read(text, 1, 'br'))).toBeUndefined();
  });
});

describe('refuses a record nested over 100 levels deep, with the position of the level', () => {
  const deep = (levels: number): string => `${'[{"ü":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;

  it.each([
    ['NDJSON', parseNdjson, (record: string) => `1\n${record}\n`, 2, 301],
    ['a JSON array', parseJsonArray, (record: string) => `[1,\n ${record}]`, 2, 302],
  ] as const)('%s', async (_name, parse, upload, line, column) => {
    expect(await recordsOf(parse(cut(upload(deep(100))), limits))).toHaveLength(2);
    const expected = { type: 'malformed-record', at: { line, column, message: 'Nested over 100 levels deep.' } };
    expect(await problemOf(parse(cut(upload(deep(102))), limits))).toMatchObject(expected);
    expect(await problemOf(parse(byteByByte(upload(deep(102))), limits))).toMatchObject(expected);
    expect(await problemOf(parse(cut(upload(deep(20_000))), limits))).toMatchObject(expected);
  });
});
