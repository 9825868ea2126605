import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UploadFormat } from '../../../shared/contract/upload-kinds.ts';
import type { RawChunk } from '../../../shared/intake/chunk-records.ts';
import type { Charset } from '../../../shared/intake/parse/csv-options.ts';
import { bodyStart, readUpload, type UploadResume, type UploadSource } from '../../../shared/intake/read-upload.ts';
import { SEGMENT_BYTES } from '../../../shared/intake/upload-digest.ts';
import { collect, cut, offsets, problemOf } from './uploads.ts';

const MiB = 1024 * 1024;
const limits = { maxBodyBytes: 100 * MiB, maxDecodedBytes: 100 * MiB, maxRecordBytes: 2 * MiB, maxItems: 1_000 };

type Options = Partial<Omit<UploadSource, 'body'>> & { pieces?: readonly number[] };

const open = (bytes: Uint8Array, { pieces = [], ...options }: Options) =>
  readUpload({
    ...{ format: 'ndjson', encoding: 'identity', limits, chunk: { maxItems: 3, maxBytes: 200 } },
    ...options,
    body: cut(bytes.subarray(options.resume ? bodyStart(options.encoding ?? 'identity', options.resume) : 0), pieces),
  });

const show = ({ bytes, end: _end, release: _release, ...chunk }: RawChunk): object => ({
  ...chunk,
  records: bytes.toString(),
});

/** Reads an upload; returns its chunks, its digest and, per chunk, the state to resume after it. */
async function read(bytes: Uint8Array, options: Options) {
  const upload = open(bytes, options);
  const resumes: UploadResume[] = [];
  const chunks: object[] = [];
  for await (const chunk of upload.chunks) {
    chunks.push(show(chunk));
    resumes.push(JSON.parse(JSON.stringify(upload.resumeBehind(chunk))) as UploadResume);
  }
  return { chunks, resumes, digest: upload.digest(), csv: upload.csv() };
}

/**
 * Values as they are written in the formats, with what makes positions differ: line breaks, several bytes, no bytes. Two of
 * the long ones fill a block.
 */
const texts = fc.array(fc.constantFrom('x', 'żółw 🐢', '', 'a\nb', 'c"d', 'z'.repeat(70), 'ż'.repeat(20_000)), {
  minLength: 1,
});
const gaps = fc.constantFrom('', '\n', '\r\n\n');
const writers: Record<UploadFormat, (values: readonly string[], gap: string) => string> = {
  ndjson: (values, gap) => values.map((a) => `${JSON.stringify({ a })}\n${gap}`).join(''),
  json: (values, gap) => `${gap}[${values.map((a) => `${gap}${JSON.stringify({ a }, null, 1)}`).join(',')}]${gap}`,
  csv: (values, gap) => `${gap}a,b\n${values.map((a) => `"${a.replaceAll('"', '""')}",1\n${gap}`).join('')}`,
};

describe('a resumed upload', () => {
  it('has the chunks and digest of an uninterrupted one, from any checkpoint and for any split', async () => {
    const format = fc.constantFrom<UploadFormat>('ndjson', 'json', 'csv');
    await fc.assert(
      fc.asyncProperty(
        ...([format, texts, gaps, fc.boolean(), fc.boolean(), offsets, offsets] as const),
        async (format, values, gap, marked, packed, before, after) => {
          const text = Buffer.from(`${marked ? '\ufeff' : ''}${writers[format](values, gap)}`);
          const bytes = packed ? gzipSync(text) : text;
          const options: Options = { format, encoding: packed ? 'gzip' : 'identity' };
          const whole = await read(bytes, { ...options, pieces: before });
          for (const [index, resume] of whole.resumes.entries()) {
            const rest = await read(bytes, { ...options, pieces: after, resume });
            expect(rest.chunks).toEqual(whole.chunks.slice(index + 1));
            expect([rest.digest, rest.csv]).toEqual([whole.digest, whole.csv]);
          }
          expect(whole.resumes.at(-1)?.nextItem).toBe(values.length);
        },
      ),
    );
  });

  it('keeps the delimiter, columns, types and character set of CSV', async () => {
    const schema = {
      ...{ type: 'object', required: ['note'] },
      properties: { amount: { type: 'number' }, note: { type: ['number', 'null'] } },
    };
    const rows = Array.from({ length: 4 }, (_, index) => `${index},5;;x;"żółw\n${'ż'.repeat(20_000)}";\r\n`);
    const text = `\ufeffsep=;\r\nAmount;NOTE;ID;a.b;\r\n${rows.join('\r\n')}`;
    const encodings: [Charset, Uint8Array][] = [
      ['utf-8', Buffer.from(text)],
      ['utf-16le', Buffer.from(text, 'utf16le')],
      ['utf-16be', Buffer.from(text, 'utf16le').swap16()],
      [
        'windows-1252',
        Buffer.from(text.slice(1).replaceAll('ż', '€'), 'latin1').map((byte) => (byte === 0xac ? 0x80 : byte)),
      ],
    ];
    for (const [charset, bytes] of encodings) {
      const csv = { decimal: ',', rename: { id: 'Key' }, ...(charset === 'windows-1252' ? { charset } : {}) } as const;
      const options: Options = {
        format: 'csv',
        csv,
        schema,
        chunk: { maxItems: 1, maxBytes: 100 },
        pieces: [100, 2_000],
      };
      const whole = await read(bytes, options);
      expect(JSON.stringify(whole.chunks[3])).toContain(
        '{\\"amount\\":3.5,\\"note\\":null,\\"Key\\":\\"x\\",\\"a\\":{',
      );
      expect(whole.csv).toMatchObject({ delimiter: ';', charset, unnamed: 1 });
      expect(new Set(whole.resumes.map(({ at }) => at.offset)).size).toBeGreaterThan(1);
      for (const [index, resume] of whole.resumes.entries()) {
        const rest = await read(bytes, { ...options, resume });
        expect([rest.chunks, rest.digest, rest.csv]).toEqual([whole.chunks.slice(index + 1), whole.digest, whole.csv]);
      }
    }
  });

  it('begins with a segment of the digest, and limits the total that is read', async () => {
    const record = `"${'x'.repeat(MiB)}"\n`;
    const bytes = Buffer.from(record.repeat(20));
    const options: Options = { chunk: { maxItems: 5, maxBytes: 100 * MiB } };
    const whole = await read(bytes, options);
    const [, , third] = whole.resumes;
    if (!third) throw new Error('There is no third chunk.');
    expect(bodyStart('identity', third)).toBe(SEGMENT_BYTES);
    expect(bodyStart('gzip', third)).toBe(0);
    const rest = await read(bytes, { ...options, resume: third });
    expect([rest.chunks, rest.digest]).toEqual([whole.chunks.slice(3), whole.digest]);

    const resumed = (less: Partial<typeof limits>) =>
      problemOf(open(bytes, { ...options, resume: third, limits: { ...limits, ...less } }).chunks);
    expect(await resumed({ maxItems: 19 })).toMatchObject({ detail: expect.stringMatching(/over 19 records/) });
    expect(await resumed({ maxItems: 20, maxBodyBytes: bytes.length })).toBeUndefined();
    expect(await resumed({ maxBodyBytes: bytes.length - 1 })).toMatchObject({
      detail: expect.stringContaining(`The body is over ${bytes.length - 1} bytes`),
    });
  });

  it('reports the position of a fault in the whole upload', async () => {
    const faulty: [UploadFormat, string][] = [
      ['ndjson', '1\n2\n\n3\n4\n5\n{"ż":x}\n'],
      ['json', '[1,\n2,\n\n3,\n4,5,\n{"ż":x}]'],
      ['csv', 'ż\n1\n2\n\n3\n4\n"ż"x\n'],
    ];
    for (const [format, text] of faulty) {
      const bytes = Buffer.from(text);
      const options: Options = { format, chunk: { maxItems: 1, maxBytes: 100 }, pieces: [8, 16] };
      const upload = open(bytes, options);
      const resumes: UploadResume[] = [];
      await expect(async () => {
        for await (const chunk of upload.chunks) resumes.push(upload.resumeBehind(chunk));
      }).rejects.toThrow();
      const expected = await problemOf(open(bytes, options).chunks);
      expect(expected?.at).toMatchObject({ line: format === 'json' ? 6 : 7 });
      for (const resume of resumes)
        expect(await problemOf(open(bytes, { ...options, resume }).chunks)).toEqual(expected);
    }
  });

  it('does not read the beginning of an uncompressed body again', async () => {
    const record = Buffer.from(`"${'x'.repeat(MiB)}"\n`);
    const bytes = Buffer.concat(Array.from({ length: 10 }, () => record));
    const whole = await read(bytes, { chunk: { maxItems: 1, maxBytes: MiB } });
    const resume = whole.resumes[8];
    if (!resume) throw new Error('There is no ninth chunk.');
    let given = 0;
    async function* body(): AsyncGenerator<Buffer> {
      for await (const piece of cut(bytes.subarray(SEGMENT_BYTES))) {
        given += piece.length;
        yield piece;
      }
    }
    const source = { format: 'ndjson', encoding: 'identity', limits, chunk: { maxItems: 1, maxBytes: MiB } } as const;
    const rest = await collect(readUpload({ ...source, body: body(), resume }).chunks);
    expect([rest.length, given]).toEqual([1, bytes.length - SEGMENT_BYTES]);
  });
});
