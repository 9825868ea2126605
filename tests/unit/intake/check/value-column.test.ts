import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnOfValue } from '../../../../shared/intake/check/value-column.ts';

describe('columnOfValue', () => {
  it.each([
    ['{"a":1,"b":{"c":[true, "x"]}}', ['b', 'c', 1], 6],
    ['{"a":1}', [], 7],
    ['  {"a": -1.5e3}', ['a'], 7],
    ['{"a}":"{[,\\"]}","b":2}', ['b'], 2],
    ['["😀",2]', [1], 2],
    // For a missing field, the column of its object.
    ['{"a":{"b":1}}', ['a', 'c'], 8],
    ['{"a":1}', ['a', 'b', 'c'], 2],
    // The last one counts, as in JSON.parse.
    ['{"a":1,"a":2}', ['a'], 2],
  ])('finds the value in %s at %j', (text, path, fromEnd) => {
    expect(columnOfValue(text, path)).toBe([...text].length - fromEnd + 1);
  });

  it('searches 16 levels, because each one reads the rest of the record', () => {
    const text = `${'['.repeat(60)}${']'.repeat(60)}`;
    expect(
      columnOfValue(
        text,
        Array.from({ length: 59 }, () => 0),
      ),
    ).toBe(17);
  });

  it('finds every value in any JSON text', () => {
    const walk = (value: unknown, path: PropertyKey[]): [PropertyKey[], unknown][] => [
      [path, value],
      ...(typeof value === 'object' && value !== null
        ? Object.keys(value).flatMap((key) => walk((value as Record<string, unknown>)[key], [...path, key]))
        : []),
    ];
    fc.assert(
      fc.property(fc.json(), fc.boolean(), (json, spaced) => {
        const value: unknown = JSON.parse(json);
        const text = spaced ? JSON.stringify(value, null, 1).replaceAll('\n', '\t') : JSON.stringify(value);
        for (const [path, part] of walk(value, [])) {
          const found = [...text].slice(columnOfValue(text, path) - 1).join('');
          const expected = JSON.stringify(part, null, spaced ? 1 : 0);
          if (typeof part === 'object' && part !== null) expect(found[0]).toBe(expected[0]);
          else expect(found.startsWith(expected)).toBe(true);
        }
      }),
    );
  });
});
