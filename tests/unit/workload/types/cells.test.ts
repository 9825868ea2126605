import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellJson, cellType } from '../../../../shared/workload/types/cells.ts';
import { ANY, TYPES } from '../../../../shared/workload/types/types.ts';

const NUMBER = TYPES.integer | TYPES.fraction;
const number = (cell: string, decimal: '.' | ',' = '.'): string => cellJson(cell, { types: NUMBER, decimal });

describe('cellType', () => {
  it.each([
    [TYPES.text | NUMBER, 'text'],
    [ANY, 'text'],
    [NUMBER, 'number'],
    [NUMBER | TYPES.null | TYPES.boolean, 'number'],
    [TYPES.integer | TYPES.null, 'integer'],
    [TYPES.boolean, 'boolean'],
    [TYPES.null, 'text'],
    [TYPES.object, 'text'],
    [0, 'text'],
  ])('types %i: %s', (types, expected) => {
    expect(cellType(types)).toBe(expected);
  });
});

describe('cellJson', () => {
  it('needs no more time for zeros without a number than for other text', () => {
    const cell = `${'0'.repeat(60_000)}x`;
    expect(number(cell)).toBe(JSON.stringify(cell));
    expect(number(`${'0'.repeat(60_000)}7`)).toBe('7');
  });

  it.each([
    ['12', '12'],
    ['-0.50', '-0.50'],
    ['00123', '123'],
    ['+7', '7'],
    ['-007.10', '-7.10'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['0', '0'],
    ['00', '0'],
    ['1e3', '1e3'],
    ['-1.5E-7', '-1.5E-7'],
    [' 12.5\u00a0', '12.5'],
    ['0.10000000000000000555', '0.10000000000000000555'],
    ['9007199254740991', '9007199254740991'],
    ['123456789012.25', '123456789012.25'],
  ])('converts %j to a number', (cell, expected) => {
    expect(number(cell)).toBe(expected);
    expect(Number.isFinite(JSON.parse(expected))).toBe(true);
  });

  it.each([
    ['a whole number that a double cannot hold', '9007199254740993'],
    ['the same with a fraction', '12345678901234567.89'],
    ['one that is infinite as a double', '1e999'],
    ['a thousands separator', '1,234.50'],
    ['a decimal comma without the option', '1,5'],
    ['words', 'n/a'],
    ['another base', '0x10'],
    ['text that JavaScript accepts as numbers', 'Infinity'],
    ['a date', '2026-01-01'],
    ['two signs', '--1'],
    ['only a sign', '-'],
    ['only a point', '.'],
    ['a currency', '€5'],
    ['other digits', '١٢'],
  ])('leaves %s as text', (_, cell) => {
    expect(number(cell)).toBe(JSON.stringify(cell));
  });

  it('reads a decimal comma if the option is set, and then no decimal point', () => {
    expect(number('-1,50', ',')).toBe('-1.50');
    expect(number('12', ',')).toBe('12');
    expect(number('1.5', ',')).toBe('"1.5"');
    expect(number('1.234,5', ',')).toBe('"1.234,5"');
    expect(number('1,234,5', ',')).toBe('"1,234,5"');
  });

  it.each([
    ['TRUE', 'true'],
    ['false', 'false'],
    [' True ', 'true'],
    ['yes', '"yes"'],
    ['1', '"1"'],
  ])('reads the boolean %j', (cell, expected) => {
    expect(cellJson(cell, { types: TYPES.boolean, decimal: '.' })).toBe(expected);
  });

  it('reads numbers and booleans if the schema allows both, and neither if it allows text', () => {
    const either = { types: NUMBER | TYPES.boolean, decimal: '.' } as const;
    expect([cellJson('1', either), cellJson('true', either)]).toEqual(['1', 'true']);
    const text = { types: NUMBER | TYPES.boolean | TYPES.text, decimal: '.' } as const;
    expect(['00123', 'true', ' x"'].map((cell) => cellJson(cell, text))).toEqual(['"00123"', '"true"', '" x\\""']);
  });

  it('keeps every digit of a number, and returns valid JSON for any text', () => {
    const digits = fc.stringMatching(/^[+-]?\d{0,20}[.,]?\d{0,20}$/);
    fc.assert(
      fc.property(fc.oneof(digits, fc.string()), fc.constantFrom('.', ','), (cell, decimal) => {
        const json = number(cell, decimal as '.' | ',');
        const value: unknown = JSON.parse(json);
        if (typeof value === 'string') expect(value).toBe(cell);
        else expect(value).toBe(Number(cell.trim().replace(decimal, '.')));
      }),
    );
  });
});
