import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonArray } from '../../../../shared/intake/parse/parse-json-array.ts';
import { byteByByte, cut, offsets, problemOf, recordsOf } from '../uploads.ts';

const limits = { maxRecordBytes: 1_000 };
const roomy = { maxRecordBytes: 1_000_000 };

describe('parseJsonArray', () => {
  it.each([
    ['objects', '[{"a":1},{"a":2}]', ['1: {"a":1}', '1: {"a":2}']],
    ['any values', ' [ null , "x" , [1, [2]] , -1.50e2 ] \n', ['1: null', '1: "x"', '1: [1, [2]]', '1: -1.50e2']],
    [
      'lines, without the breaks in an element',
      '[\n  {\n    "a": [\r\n      1\n    ]\n  },\n  2\n]\n',
      ['2: {"a": [1]}', '7: 2'],
    ],
    [
      'brackets, commas and quotes in strings',
      '["],[", "\\"]", "\\\\", "{"]',
      ['1: "],["', '1: "\\"]"', '1: "\\\\"', '1: "{"'],
    ],
    ['digits that a number would lose', '[12345678901234567890.10]', ['1: 12345678901234567890.10']],
    ['other scripts', '["żółw 🐢","\\u0000"]', ['1: "żółw 🐢"', '1: "\\u0000"']],
    ['no elements', ' [ \n ] ', []],
    ['nothing', ' \n', []],
  ])('reads %s', async (_, text, expected) => {
    expect(await recordsOf(parseJsonArray(cut(text), limits))).toEqual(expected);
    expect(await recordsOf(parseJsonArray(byteByByte(text), limits))).toEqual(expected);
  });

  it.each([
    ['an object', '{"a":1}', 1, 1],
    ['NDJSON', '\n1\n2\n', 2, 1],
    ['a leading comma', '[,1]', 1, 2],
    ['two commas', '[1,\n,2]', 2, 1],
    ['a trailing comma', '[1, ]', 1, 5],
    ['a missing comma', '[1,\n  {"a":1} {"a":2}]', 2, 11],
    ['a fault in an element', '["🐢", {"a":\n 1, b}]', 2, 5],
    ['crossed brackets', '[[1}, 2]]', 1, 4],
    ['a closing brace without an opening one', '[1}]', 1, 3],
    ['data after the array', '[1] 2', 1, 5],
    ['a second array', '[1]\n[2]', 2, 1],
    ['an open array', '[1,\n2', 2, 2],
    ['an open array after a comma', '[1,', 1, 4],
    ['an open string', '[1,"ab', 1, 7],
    ['an open object', '[{"a":1', 1, 8],
    ['a missing quote, reported at the next line break', '[{"a":"x},\n{"a":"y"},\n{"a":"z"}]', 1, 11],
  ])('refuses %s, with the position', async (_, text, line, column) => {
    const expected = { type: 'malformed-record', at: { line, column } };
    expect(await problemOf(parseJsonArray(cut(text), limits))).toMatchObject(expected);
    expect(await problemOf(parseJsonArray(byteByByte(text), limits))).toMatchObject(expected);
  });

  it('refuses bytes that are not UTF-8, with their position', async () => {
    const upload = Buffer.concat([Buffer.from('["ż",\n "🐢'), Buffer.from([0xc3, 0x28]), Buffer.from('"]')]);
    const expected = { type: 'malformed-record', at: { line: 2, column: 4, message: 'Invalid UTF-8.' } };
    expect(await problemOf(parseJsonArray(cut(upload), limits))).toMatchObject(expected);
    expect(await problemOf(parseJsonArray(byteByByte(upload), limits))).toMatchObject(expected);
  });

  it('accepts an element of exactly the maximum size', async () => {
    const fits = `"${'x'.repeat(998)}"`;
    expect(await recordsOf(parseJsonArray(cut(`[1,${fits}]`), limits))).toHaveLength(2);
    for (const source of [cut, byteByByte])
      expect(await problemOf(parseJsonArray(source(`[1,\n ${fits} ]`), limits))).toMatchObject({
        type: 'too-large',
        at: { line: 2, column: 2 },
      });
  });

  it.each(['true', '-1.5e+7', '"\\u0041"', 'null'])(
    'reports a long element that is cut inside %s as too large, not as malformed',
    async (token) => {
      for (let length = 1; length <= token.length; length++) {
        const long = `[[${`${token},`.repeat(3_000)}`.slice(0, 3_000 + length);
        expect(await problemOf(parseJsonArray(cut(long, [1_000 + length]), limits))).toMatchObject({
          type: 'too-large',
        });
      }
    },
  );

  it('reports the fault of an element that contains the rest of the upload, not its length', async () => {
    const upload = `[{"a":"x},\n${'{"a":"y"},\n'.repeat(500)}1]`;
    for (const source of [cut, byteByByte])
      expect(await problemOf(parseJsonArray(source(upload), limits))).toMatchObject({
        type: 'malformed-record',
        at: { line: 1, column: 11 },
      });
  });

  it('returns the same records for any split and whitespace', async () => {
    const space = fc.constantFrom('', ' ', '\n', '\r\n\t');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue()),
        space,
        fc.nat({ max: 3 }),
        offsets,
        async (values, gap, indent, at) => {
          const text = `${gap}[${values.map((value) => gap + JSON.stringify(value, null, indent) + gap).join(',')}${gap}]`;
          const records = await recordsOf(parseJsonArray(cut(text, at), roomy));
          const parsed: unknown[] = records.map((record) => JSON.parse(record.slice(record.indexOf(':') + 1)));
          expect(parsed).toEqual(values.map((value) => JSON.parse(JSON.stringify(value))));
          expect(records.every((record) => !/[\r\n]/.test(record))).toBe(true);
        },
      ),
    );
  });
});
