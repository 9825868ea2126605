import { describe, expect, it } from 'vitest';
import type { UploadCheckView } from '../../../shared/http/batches/upload/schemas.ts';
import { describeCheck, describeColumns, describeCsv, isFine } from '../../../web/upload/check-text.ts';
import { firstPart, recordEnd } from '../../../web/upload/first-part.ts';

const text = (...parts: string[]): Uint8Array => new TextEncoder().encode(parts.join(''));

describe('the first part of a file', () => {
  it('ends behind a whole line', () => {
    expect(recordEnd(text('{"a":1}\n{"a":2}\n{"a"'), false)).toBe(16);
    expect(recordEnd(text('{"a":1}'), false)).toBe(0);
  });

  it('ends outside quotes if the file is CSV, and only then', () => {
    const cut = text('id,note\n1,"two\nlines"\n2,"three\n');
    expect(recordEnd(cut, true)).toBe(22);
    expect(recordEnd(cut, false)).toBe(cut.length);
  });

  it('keeps both bytes of a line feed in UTF-16', () => {
    const utf16 = new Uint8Array(Buffer.from('\ufeffa;b\n1;2\n3', 'utf16le'));
    expect(Buffer.from(utf16.subarray(0, recordEnd(utf16, true))).toString('utf16le')).toBe('\ufeffa;b\n1;2\n');
  });
});

describe('the part of a file that is checked', () => {
  const MiB = 1024 * 1024;
  const lines = (bytes: number): string => '{"a":1}\n'.repeat(bytes / 8);

  it.each([
    ['all of a small file', 'a.json', '[{"a":1}]', 9],
    ['whole records of a large one', 'a.ndjson', lines(3 * MiB), 2 * MiB],
    ['all of a compressed one up to 8 MiB', 'a.ndjson.gz', lines(8 * MiB), 8 * MiB],
    ['nothing of a larger compressed one, which cannot be cut', 'a.ndjson.gz', lines(9 * MiB), undefined],
    ['all of a JSON array up to 8 MiB', 'a.json', lines(8 * MiB), 8 * MiB],
    ['nothing of a larger JSON array, which cannot be cut', 'a.json', lines(9 * MiB), undefined],
    ['nothing of a file whose first record is too long', 'a.ndjson', 'x'.repeat(3 * MiB), undefined],
  ])('is %s', async (_, name, content, size) => {
    expect((await firstPart(new File([content], name)))?.size).toBe(size);
  });
});

const check = (fields: Partial<UploadCheckView>): UploadCheckView => ({
  ...{ format: 'csv', encoding: 'identity', items: 1_000, bytes: 70_000, whole: false },
  ...{ valid: 1_000, invalid: 0, causes: [] },
  ...fields,
});

describe('the text of a check', () => {
  it.each<[Partial<UploadCheckView>, boolean, string]>([
    [{ whole: true }, true, '1,000 items: all fit the schema'],
    [{ whole: true }, false, 'The first 1,000 items: all fit the schema'],
    [
      {
        valid: 990,
        estimate: {
          items: 152_000,
          chunks: 31,
          lane: 'normal',
          operations: 98,
          usd: 1,
          sheet: '2026',
          currency: 'USD',
          unverified: [],
        },
      },
      true,
      'The first 1,000 items of about 152,000: 10 do not fit the schema',
    ],
    [{ valid: 0 }, false, 'The first 1,000 items: none fits the schema'],
  ])('%j', (fields, isAll, expected) => expect(describeCheck(check(fields), isAll)).toBe(expected));

  it('names the dialect and the columns of CSV', () => {
    const columns = [
      { header: 'Menge', name: 'qty', type: 'integer' },
      { header: 'id', name: 'id', type: 'text' },
    ] as const;
    const read = check({ csv: { delimiter: ';', decimal: ',', charset: 'utf-8', columns } });
    expect(describeCsv(read)).toBe('CSV, semicolon as the delimiter, decimal comma, utf-8, 2 columns');
    expect(describeColumns(read)).toEqual(['Menge → qty (integer)', 'id (text)']);
    expect(describeCsv(check({}))).toBeUndefined();
  });

  it('is fine only if everything was read and is valid', () => {
    expect(isFine(check({}))).toBe(true);
    expect(isFine(check({ valid: 999 }))).toBe(false);
    expect(isFine(check({ fault: { line: 1, column: 1, message: 'The upload contains no record.' } }))).toBe(false);
  });
});
