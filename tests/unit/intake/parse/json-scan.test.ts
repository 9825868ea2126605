import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findTooDeep, MAX_ITEM_NESTING } from '../../../../shared/contract/text/nesting.ts';
import { jsonEnd, jsonLineEnd, NOT_RECOGNISED } from '../../../../shared/intake/parse/json-scan.ts';
import { json, nearJson, soup } from './json-soup.ts';

/** Expected result, from JSON.parse. */
function isItem(text: string): boolean {
  try {
    JSON.parse(text);
  } catch {
    return false;
  }
  return findTooDeep(text, MAX_ITEM_NESTING) === undefined;
}

describe('jsonLineEnd', () => {
  it('recognises only lines that JSON.parse accepts', () => {
    const oneLine = fc.oneof(soup, json, nearJson).filter((bytes) => isUtf8(bytes) && !/[\r\n]/.test(bytes.toString()));
    fc.assert(
      fc.property(
        oneLine,
        fc.constantFrom('', ' ', '{"x":'),
        fc.constantFrom('\n', '\r\n'),
        (bytes, before, ending) => {
          const start = before.length;
          const line = Buffer.concat([Buffer.from(before), bytes, Buffer.from(`${ending}{"a":1}\n`)]);
          const found = jsonLineEnd(line, start);
          expect(found).toBe(isItem(bytes.toString()) ? line.indexOf('\n', start) : NOT_RECOGNISED);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('never recognises a value that continues after its line', () => {
    for (const text of ['[1,\n2]\n', '{"a":\n1}\n', '"a\nb"\n', '\n1\n', '1 2\n', '1,2\n', '{}{}\n', ' \n'])
      expect([text, jsonLineEnd(Buffer.from(text), 0)]).toEqual([text, NOT_RECOGNISED]);
  });
});

describe('jsonEnd', () => {
  it.each([
    ['1,2', 1],
    ['{"a":"]"} \t]', 11],
    ['[1]x', 3],
    ['12', 2],
    ['-', NOT_RECOGNISED],
    ['"a', NOT_RECOGNISED],
    ['{"a":1', NOT_RECOGNISED],
  ])('of %s is at %i', (text, end) => {
    expect(jsonEnd(Buffer.from(`${text}\n`), 0)).toBe(end);
  });
});
