import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCsv } from '../../../../../shared/intake/parse/csv/parse-csv.ts';
import { byteByByte, cut, offsets, problemOf, recordsOf } from '../../uploads.ts';

const limits = { maxRecordBytes: 1_000 };
const roomy = { maxRecordBytes: 1_000_000 };

describe('parseCsv', () => {
  it.each([
    ['one row per record', 'a,b\n1,2\n3,4\n', ['2: {"a":"1","b":"2"}', '3: {"a":"3","b":"4"}']],
    ['CRLF, and no line ending at the end', 'a,b\r\n1,2\r\n3,4', ['2: {"a":"1","b":"2"}', '3: {"a":"3","b":"4"}']],
    ['a CR as the last byte', 'a\r\n1\r', ['2: {"a":"1"}']],
    ['an empty cell as absent', 'a,b\n,2\n"",3\n1,\n', ['2: {"b":"2"}', '3: {"b":"3"}', '4: {"a":"1"}']],
    [
      'a row of empty cells as a blank line',
      'a,b\n1,2\n,\n,,,\n3,4\n',
      ['2: {"a":"1","b":"2"}', '5: {"a":"3","b":"4"}'],
    ],
    [
      'quoted fields',
      'a,b\n"x,""y""","1\r\n2"\n3,4\n',
      ['2: {"a":"x,\\"y\\"","b":"1\\r\\n2"}', '4: {"a":"3","b":"4"}'],
    ],
    ['a quoted header', '"a ""b""",c\n1,2\n', ['2: {"a \\"b\\"":"1","c":"2"}']],
    ['spaces around text, but not around names', ' a ,\u00a0b\n 1 , 2\n', ['2: {"a":" 1 ","b":" 2"}']],
    ['blank lines, counted', '\na\n\n1\n\r\n2\n', ['4: {"a":"1"}', '6: {"a":"2"}']],
    ['names with a special meaning in objects', '__proto__,1\nx,y\n', ['2: {"__proto__":"x","1":"y"}']],
    ['other scripts', 'ż🐢\nÿ\n', ['2: {"ż🐢":"ÿ"}']],
    ['only a header', 'a,b\n', []],
    ['nothing', '', []],
  ])('reads %s', async (_, text, expected) => {
    expect(await recordsOf(parseCsv(cut(text), limits))).toEqual(expected);
    expect(await recordsOf(parseCsv(byteByByte(text), limits))).toEqual(expected);
  });

  it.each([
    ['one field too many', 'a,b\n1,2,3\n', 2, 5],
    ['one field too few', 'a,b\n"x\n",y\n🐢\n', 4, 2],
    ['one field too few after a blank line', 'a,b\n\n1\r\n', 3, 2],
    ['a duplicate name', 'a,"b",a\n', 1, 7],
    ['an empty name', 'a,,b\n', 1, 3],
    ['a quote inside a plain field', 'a\nx"y"\n', 2, 2],
    ['text after a quoted field', 'a\n"x"y\n', 2, 4],
    ['an open quote', 'a,b\n1,"x\n2,3\n', 2, 3],
    ['an open quote at the very end', 'a\n"', 2, 1],
    ['a bare CR', 'a\r1\r2\r', 1, 2],
    ['an open quote whose field includes the rest', `a,b\n1,2\n3,"${'x\n'.repeat(1_000)}`, 3, 3],
    ['an open quote that a quote in a later line closes', 'a,b\n1,"x\n2,"y"\n', 2, 3],
    ['a stray quote whose field includes the rest', `a\nx"\n${'y\n'.repeat(2_000)}`, 2, 2],
  ])('refuses %s, with the position', async (_, text, line, column) => {
    const expected = { type: 'malformed-record', at: { line, column } };
    expect(await problemOf(parseCsv(cut(text), limits))).toMatchObject(expected);
    expect(await problemOf(parseCsv(byteByByte(text), limits))).toMatchObject(expected);
  });

  it('refuses bytes that are not UTF-8, with their position', async () => {
    const upload = Buffer.concat([Buffer.from('a,b\nż,🐢'), Buffer.from([0xff]), Buffer.from('\n')]);
    const expected = {
      type: 'malformed-record',
      at: { line: 2, column: 4, message: expect.stringMatching(/^Invalid UTF-8. .*CSV UTF-8.*charset=windows-1252/) },
    };
    expect(await problemOf(parseCsv(cut(upload), limits))).toMatchObject(expected);
    expect(await problemOf(parseCsv(byteByByte(upload), limits))).toMatchObject(expected);
  });

  it.each([
    ['a long row', `a\n${'x'.repeat(1_001)}\n`, 2],
    ['a long row in characters of several bytes', `a\n${'ż'.repeat(501)}\n`, 2],
    ['a row that is too long only as JSON', `${'h'.repeat(500)}\n1\n${'x'.repeat(600)}\n`, 3],
    ['a long header', `${'h'.repeat(1_001)}\n1\n`, 1],
  ])('refuses %s as too large', async (_, text, line) => {
    const expected = { type: 'too-large', at: { line, column: 1 } };
    expect(await problemOf(parseCsv(cut(text), limits))).toMatchObject(expected);
    expect(await problemOf(parseCsv(byteByByte(text), limits))).toMatchObject(expected);
  });

  it('returns the same records for any split, quoting and line ending', async () => {
    const field = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', 'x') }),
    );
    const rows = fc.array(fc.tuple(field, field, field));
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom('\n', '\r\n'), fc.boolean(), offsets, async (data, ending, always, at) => {
        const quoted = (text: string): string =>
          always || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
        const text = [['a', 'b', 'c'], ...data].map((row) => row.map(quoted).join(',') + ending).join('');
        const records = await recordsOf(parseCsv(cut(text, at), roomy));
        const filled = data.filter((row) => row.some((cell) => cell !== ''));
        const expected = filled.map(([a, b, c]) =>
          JSON.stringify({ a: a || undefined, b: b || undefined, c: c || undefined }),
        );
        expect(records.map((record) => record.slice(record.indexOf(':') + 2))).toEqual(expected);
      }),
    );
  });
});
