import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findTooDeep } from '../../../../shared/contract/text/nesting.ts';

const nested = (levels: number, inner = '1'): string => `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`;

it.each([
  ['no brackets', '"x"', undefined],
  ['the maximum number of levels', nested(3), undefined],
  ['one level more', nested(4), 3],
  ['objects and arrays', '{"a":[{"b":[1]}]}', 11],
  ['many brackets side by side', `[${'[],'.repeat(99)}[{}]]`, undefined],
  ['brackets in strings', JSON.stringify(['[[[[[[]]]]]]', '\\"[[[[', '\\']), undefined],
  ['one level more after strings that end in backslashes', `["\\\\",${nested(3)}]`, 8],
  ['one level more after an escaped quote', `["\\"[",${nested(3)}]`, 9],
])('finds the first level beyond the third: %s', (_what, text, offset) => {
  expect(findTooDeep(text, 3)).toBe(offset);
});

it('finds no level within the limit and one beyond it, in any JSON', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 1, max: 5 }), (value, most) => {
      expect(findTooDeep(JSON.stringify(value), most) !== undefined).toBe(depthOf(value) > most);
    }),
  );
});
