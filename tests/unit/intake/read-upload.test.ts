import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { UploadEncoding, UploadFormat } from '../../../shared/contract/upload-kinds.ts';
import { readUpload, type UploadSource } from '../../../shared/intake/read-upload.ts';
import { UploadDigest } from '../../../shared/intake/upload-digest.ts';
import { byteByByte, collect, cut, offsets, problemOf } from './uploads.ts';

const limits = { maxBodyBytes: 100_000, maxDecodedBytes: 100_000, maxRecordBytes: 1_000, maxItems: 10 };
const source = (body: string | Uint8Array, options: Partial<UploadSource> = {}): UploadSource => ({
  body: cut(body),
  format: 'ndjson',
  encoding: 'identity',
  limits,
  chunk: { maxItems: 2, maxBytes: 1_000 },
  ...options,
});

const forms: [UploadFormat, string][] = [
  ['ndjson', '{"a":"1"}\n{"a":"2"}\n{"a":"żółw"}\n'],
  ['json', '[{"a":"1"},\n{"a":"2"},\n{"a":"żółw"}]'],
  ['csv', 'a\r\n1\r\n2\r\nżółw\r\n'],
];
const coders: Record<UploadEncoding, (text: string) => Uint8Array> = {
  identity: (text) => Buffer.from(text),
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
};
const encodings = Object.keys(coders) as UploadEncoding[];

afterEach(() => vi.restoreAllMocks());

describe('readUpload', () => {
  it('reads every format in every encoding, with or without a byte order mark, for any split', async () => {
    const encoding = fc.constantFrom(...encodings);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...forms),
        encoding,
        fc.boolean(),
        offsets,
        async ([format, text], code, marked, at) => {
          const decoded = marked ? `\ufeff${text}` : text;
          const upload = readUpload(source('', { body: cut(coders[code](decoded), at), format, encoding: code }));
          const chunks = await collect(upload.chunks);
          expect(chunks.map((chunk) => chunk.bytes.toString())).toEqual(['{"a":"1"}\n{"a":"2"}\n', '{"a":"żółw"}\n']);
          expect(chunks.map(({ items, firstItem }) => [items, firstItem])).toEqual([
            [2, 0],
            [1, 2],
          ]);
          const digest = new UploadDigest();
          digest.push(Buffer.from(decoded));
          expect(upload.digest()).toBe(digest.end(format));
        },
      ),
    );
  });

  it('returns no digest before the end', async () => {
    const upload = readUpload(source('1\n2\n3\n'));
    for await (const _chunk of upload.chunks) break;
    expect(() => upload.digest()).toThrow('known only after its end');
  });

  it.each([
    ['nothing', 'ndjson', ''],
    ['only a byte order mark', 'ndjson', '\ufeff'],
    ['only blank lines', 'ndjson', '\n\n'],
    ['an empty array', 'json', '[]'],
    ['whitespace alone', 'json', ' \n'],
    ['only a header', 'csv', 'a,b\n'],
  ] as const)('refuses %s as an empty batch', async (_, format, text) => {
    expect(await problemOf(readUpload(source(text, { format })).chunks)).toMatchObject({ type: 'empty-batch' });
  });

  it.each(encodings)('refuses an empty body in %s as an empty batch', async (encoding) => {
    expect(await problemOf(readUpload(source('', { encoding })).chunks)).toMatchObject({ type: 'empty-batch' });
    const nothing = readUpload(source(coders[encoding](''), { encoding }));
    expect(await problemOf(nothing.chunks)).toMatchObject({ type: 'empty-batch' });
  });

  it('accepts the maximum number of records and no more', async () => {
    expect(await collect(readUpload(source('1\n'.repeat(10))).chunks)).toHaveLength(5);
    expect(await problemOf(readUpload(source('1\n'.repeat(11))).chunks)).toMatchObject({
      type: 'too-large',
      detail: expect.stringContaining('raise SLUICE_MAX_ITEMS'),
    });
  });

  it('refuses rows that become many times the upload because they repeat long names', async () => {
    const few = { ...limits, maxDecodedBytes: 2_000, maxItems: 1_000 };
    const upload = readUpload(source(`${'h'.repeat(900)}\n1\n2\n3\n`, { format: 'csv', limits: few }));
    expect(await problemOf(upload.chunks)).toMatchObject({
      type: 'too-large',
      detail: expect.stringContaining('as JSON'),
    });
  });

  it.each([
    ['ndjson', '1\n'.repeat(6e5)],
    ['json', `[${'1,'.repeat(6e5)}1]`],
    ['csv', `a,b\n${'1,\n'.repeat(4e5)}`],
    [
      'csv',
      `a,${Array.from({ length: 99 }, (_, index) => `b${index}`).join()}\n${`1${','.repeat(99)}\n`.repeat(12_000)}`,
    ],
  ] as const)('lets other work of the process run after each 256 KiB of %s if it takes long', async (format, text) => {
    const body = Buffer.from(text);
    let ms = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (ms += 10));
    let turns = 0;
    const count = (): void => {
      turns++;
      immediate = setImmediate(count);
    };
    let immediate = setImmediate(count);
    const many = { ...limits, maxBodyBytes: 1e9, maxDecodedBytes: 1e9, maxItems: 1e9 };
    const upload = readUpload(
      source('', { body: cut(body), format, limits: many, chunk: { maxItems: 1e6, maxBytes: 1e6 } }),
    );
    await collect(upload.chunks);
    clearImmediate(immediate);
    expect(turns).toBeGreaterThanOrEqual(Math.floor(body.length / (256 * 1024)));
  });

  it('joins the pieces of a body that arrives byte by byte, because each one costs as much as a record', async () => {
    const push = vi.spyOn(UploadDigest.prototype, 'push');
    const many = { ...limits, maxItems: 20_000 };
    const body = byteByByte('1\n'.repeat(10_000));
    const chunks = await collect(
      readUpload(source('', { body, limits: many, chunk: { maxItems: 1e6, maxBytes: 1e6 } })).chunks,
    );
    expect(chunks.map(({ items }) => items)).toEqual([10_000]);
    expect(push).toHaveBeenCalledTimes(5);
  });

  it('does not count a byte order mark in columns', async () => {
    for (const body of [cut('\ufeff{"a":x}'), byteByByte('\ufeff{"a":x}')])
      expect(await problemOf(readUpload(source('', { body })).chunks)).toMatchObject({ at: { line: 1, column: 6 } });
  });

  it('reports how CSV is read, from its header on', async () => {
    const schema = { type: 'object', properties: { amount: { type: 'number' } } };
    const upload = readUpload(source('Amount;x\n1.5;y\n', { format: 'csv', schema }));
    expect(upload.csv()).toBeUndefined();
    const chunks = await collect(upload.chunks);
    expect(chunks[0]?.bytes.toString()).toBe('{"amount":1.5,"x":"y"}\n');
    expect(upload.csv()).toEqual({
      ...{ delimiter: ';', decimal: '.', charset: 'utf-8' },
      columns: [
        { header: 'Amount', name: 'amount', type: 'number' },
        { header: 'x', name: 'x', type: 'text' },
      ],
    });
    const other = readUpload(source('{"a":"1;2"}\n', { schema }));
    await collect(other.chunks);
    expect(other.csv()).toBeUndefined();
  });

  it('returns another digest with CSV options, and only for CSV', async () => {
    const digest = async (options: Partial<UploadSource>): Promise<string> => {
      const upload = readUpload(source(options.format === 'csv' ? 'a\n1\n' : '[1]', options));
      await collect(upload.chunks);
      return upload.digest();
    };
    const csv = { decimal: ',' } as const;
    expect(await digest({ format: 'csv', csv: {} })).not.toBe(await digest({ format: 'csv', csv }));
    expect(await digest({ format: 'json', csv })).toBe(await digest({ format: 'json' }));
  });

  it('rethrows the error of an interrupted body', async () => {
    const gone = new Error('The client went away.');
    async function* broken(): AsyncGenerator<Buffer> {
      yield Buffer.from('1\n2\n');
      throw gone;
    }
    await expect(collect(readUpload(source('', { body: broken() })).chunks)).rejects.toBe(gone);
  });
});
