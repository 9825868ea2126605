import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseNdjson } from '../../../../shared/intake/parse/parse-ndjson.ts';
import { byteByByte, cut, offsets, problemOf, recordsOf } from '../uploads.ts';

const limits = { maxRecordBytes: 1_000 };
const roomy = { maxRecordBytes: 1_000_000 };
const read = (text: string | Uint8Array, at: number[] = []): Promise<string[]> =>
  recordsOf(parseNdjson(cut(text, at), roomy));

describe('parseNdjson', () => {
  it.each([
    ['one line per record', '{"a":1}\n{"a":2}\n', ['1: {"a":1}', '2: {"a":2}']],
    ['no line feed at the end', '1\n2', ['1: 1', '2: 2']],
    ['any JSON value', 'null\n"x"\n[1, 2]\n-1.50e2\n', ['1: null', '2: "x"', '3: [1, 2]', '4: -1.50e2']],
    ['digits that a number would lose', '{"n":12345678901234567890.10}\n', ['1: {"n":12345678901234567890.10}']],
    ['CRLF', '1\r\n\r\n2\r\n', ['1: 1', '3: 2']],
    ['blank lines, counted', '\n\n1\n \t\n2\n\n', ['3: 1', '5: 2']],
    ['whitespace around a record', ' 1 \n', ['1:  1 ']],
    ['other scripts', '"żółw 🐢"\n"ÿ"\n', ['1: "żółw 🐢"', '2: "ÿ"']],
    ['nothing', '', []],
    ['only blank lines', '\n \n\r\n', []],
  ])('reads %s', async (_, text, expected) => {
    expect(await read(text)).toEqual(expected);
    expect(await recordsOf(parseNdjson(byteByByte(text), limits))).toEqual(expected);
  });

  it.each([
    ['no JSON', '1\n{"a":x}\n', 2, 6],
    ['a record that the upload cuts off', '1\n{"a":', 2, 6],
    ['two values on a line', '1\n1,2\n', 2, 2],
    ['an array over two lines', '[1\n2]\n', 1, 3],
    ['values over lines that would form one value', '[1\n2]\n1,2\n', 1, 3],
    ['a fault after an emoji, which is one column', '{"🐢🐢":}\n', 1, 7],
    ['blank lines before it', '\n\n\n{\n', 4, 2],
    ['a bare CR between records', '1\r2\n', 1, 3],
  ])('refuses %s, with the position', async (_, text, line, column) => {
    const expected = { type: 'malformed-record', at: { line, column } };
    expect(await problemOf(parseNdjson(cut(text), limits))).toMatchObject(expected);
    expect(await problemOf(parseNdjson(byteByByte(text), limits))).toMatchObject(expected);
  });

  it.each([
    ['a stray byte', Buffer.from([0x22, 0xff, 0x22]), 2],
    ['a character cut off', Buffer.from([0x22, 0xc5, 0xbc, 0xe2, 0x82, 0x22]), 3],
    ['Latin-1', Buffer.from('"Zürich"', 'latin1'), 3],
    ['a surrogate', Buffer.from([0x22, 0xef, 0xbf, 0xbd, 0xed, 0xa0, 0x80, 0x22]), 3],
  ])('refuses bytes that are not UTF-8: %s', async (_, bytes, column) => {
    const upload = Buffer.concat([Buffer.from('"\ufffd"\n'), bytes, Buffer.from('\n1\n')]);
    const expected = { type: 'malformed-record', at: { line: 2, column, message: 'Invalid UTF-8.' } };
    expect(await problemOf(parseNdjson(cut(upload), limits))).toMatchObject(expected);
    expect(await problemOf(parseNdjson(byteByByte(upload), limits))).toMatchObject(expected);
  });

  it('reports the first of several faults, for any split', async () => {
    const upload = Buffer.concat([Buffer.from('1\n{\n'), Buffer.from([0xff, 0x0a])]);
    await fc.assert(
      fc.asyncProperty(offsets, async (at) => {
        expect(await problemOf(parseNdjson(cut(upload, at), limits))).toMatchObject({ at: { line: 2, column: 2 } });
      }),
    );
  });

  it('accepts a record of exactly the maximum size', async () => {
    const fits = `"${'x'.repeat(998)}"`;
    expect(await recordsOf(parseNdjson(cut(`1\n${fits}\r\n`), limits))).toHaveLength(2);
    for (const source of [cut, byteByByte])
      expect(await problemOf(parseNdjson(source(`1\n${fits} \n`), limits))).toMatchObject({
        type: 'too-large',
        at: { line: 2 },
      });
  });

  it('refuses a long record before it has arrived completely', async () => {
    let given = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      for (; ; given += 100) yield Buffer.alloc(100, 0x31);
    }
    expect(await problemOf(parseNdjson(endless(), limits))).toMatchObject({ type: 'too-large' });
    expect(given).toBeLessThan(1_200);
  });

  it('returns the same records for any split', async () => {
    const line = fc.oneof(
      fc.json(),
      fc.constant(''),
      fc.constant('  '),
      fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.constantFrom('\n', '\r\n'), offsets, async (lines, ending, at) => {
        const expected = lines.flatMap((text, index) => (text.trim() === '' ? [] : [`${index + 1}: ${text}`]));
        expect(await read(lines.map((text) => text + ending).join(''), at)).toEqual(expected);
      }),
    );
  });
});
