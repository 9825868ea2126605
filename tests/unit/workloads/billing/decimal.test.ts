import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDecimals,
  addUnits,
  divideRounded,
  formatDecimal,
  formatUnits,
  parseDecimal,
  toUnits,
  type Units,
} from '../../../../workloads/billing/decimal.ts';

const anyUnits = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
const anyScale = fc.integer({ min: 0, max: 12 });

/** Decimals of all lengths around the 15 digits up to which doubles are used, with leading zeros, and minus zero. */
const anyDecimal = fc
  .tuple(fc.boolean(), fc.stringMatching(/^\d{1,18}$/), fc.option(fc.stringMatching(/^\d{1,9}$/), { nil: undefined }))
  .map(([minus, whole, fraction]) => `${minus ? '-' : ''}${whole}${fraction === undefined ? '' : `.${fraction}`}`);

const fractionOf = (text: string): string => text.split('.')[1] ?? '';

/** The value of a decimal at a scale, calculated only with BigInt. */
const unitsOf = (text: string, scale: number): bigint =>
  BigInt(text.replace('.', '')) * 10n ** BigInt(scale - fractionOf(text).length);

/** The text of units at a scale, calculated only with BigInt. */
function writtenOf(units: bigint, scale: number): string {
  const size = units < 0n ? -units : units;
  const power = 10n ** BigInt(scale);
  const fraction = scale === 0 ? '' : `.${String(size % power).padStart(scale, '0')}`;
  return `${units < 0n ? '-' : ''}${size / power}${fraction}`;
}

describe('a decimal', () => {
  it.each([
    ['0', 2, 0n],
    ['12.5', 2, 1250n],
    ['-0.05', 2, -5n],
    ['-0', 3, 0n],
    ['007.10', 2, 710n],
    ['999999999999999', 0, 999_999_999_999_999n],
    ['123456789012345678.123456789', 9, 123_456_789_012_345_678_123_456_789n],
  ])('%s at scale %i is read as %s', (text, scale, units) => {
    expect(parseDecimal(text, scale)).toBe(units);
  });

  it.each(['', '-', '.5', '5.', '1,5', '1e3', '0x10', ' 1', '1 ', '+1', '1.2.3', '--1', '١', 'NaN'])(
    '%j is refused',
    (text) => {
      expect(() => parseDecimal(text, 6)).toThrow(RangeError);
    },
  );

  it('is refused with more digits after the point than the scale has', () => {
    expect(() => parseDecimal('0.001', 2)).toThrow('at most 2 digits after the point, got "0.001"');
  });

  it('is formatted as it was parsed', () => {
    fc.assert(
      fc.property(anyUnits, anyScale, (units, scale) => {
        expect(parseDecimal(formatDecimal(units, scale), scale)).toBe(units);
      }),
    );
  });
});

describe('a decimal of any length', () => {
  it('is read as BigInt reads it', () => {
    fc.assert(
      fc.property(anyDecimal, anyScale, (text, more) => {
        const scale = fractionOf(text).length + more;
        expect(parseDecimal(text, scale)).toBe(unitsOf(text, scale));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is written as BigInt writes it', () => {
    const nearTheLimit = fc.bigInt({ min: 10n ** 15n - 1_000n, max: 10n ** 15n + 1_000n });
    fc.assert(
      fc.property(fc.oneof(anyUnits, nearTheLimit), fc.integer({ min: 0, max: 20 }), (units, scale) => {
        expect(formatDecimal(units, scale)).toBe(writtenOf(units, scale));
        expect(formatDecimal(-units, scale)).toBe(writtenOf(-units, scale));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is added as BigInt adds it', () => {
    fc.assert(
      fc.property(anyDecimal, anyDecimal, (a, b) => {
        const scale = Math.max(fractionOf(a).length, fractionOf(b).length);
        expect(addDecimals(a, b)).toBe(writtenOf(unitsOf(a, scale) + unitsOf(b, scale), scale));
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    ['999999999999999', '999999999999999', '1999999999999998'],
    ['9999999999999.99', '9999999999999.99', '19999999999999.98'],
    ['-9999999999999.99', '0.00', '-9999999999999.99'],
    ['9999999999999.99', '0.001', '9999999999999.991'],
    ['0.99999999999999', '0.00000000000001', '1.00000000000000'],
    ['-0.00', '-0', '0.00'],
    ['-0', '-0', '0'],
    ['0.05', '-0.10', '-0.05'],
    ['5', '-5.00', '0.00'],
  ])('%s and %s are %s', (a, b, sum) => {
    expect(addDecimals(a, b)).toBe(sum);
  });

  it.each(['', '-', '.5', '5.', '1e3', ' 1', '+1', '1.2.3', '--1', '1-1', '-.5', '1/2', '1:2', 'NaN', 'Infinity'])(
    '%j is refused in a sum, on either side',
    (text) => {
      expect(() => addDecimals(text, '1')).toThrow(RangeError);
      expect(() => addDecimals('1', text)).toThrow(RangeError);
    },
  );
});

describe('division', () => {
  it.each([
    [5n, 10n, 1n],
    [-5n, 10n, -1n],
    [4n, 10n, 0n],
    [-4n, 10n, 0n],
    [15n, 10n, 2n],
    [25n, 10n, 3n],
    [0n, 7n, 0n],
    [1n, 3n, 0n],
    [2n, 3n, 1n],
  ])('%s / %s is rounded to %s', (dividend, divisor, expected) => {
    expect(divideRounded(dividend, divisor)).toBe(expected);
  });

  it('is never off by more than a half, and ties go away from zero', () => {
    fc.assert(
      fc.property(anyUnits, fc.bigInt({ min: 1n, max: 10n ** 15n }), (dividend, divisor) => {
        const rest = dividend - divideRounded(dividend, divisor) * divisor;
        const size = rest < 0n ? -rest : rest;
        expect(size * 2n <= divisor).toBe(true);
        if (size * 2n === divisor) expect(rest < 0n).toBe(dividend > 0n);
      }),
    );
  });
});

describe('a sum', () => {
  it('is exact where floats are not', () => {
    expect(addDecimals('0.10', '0.20')).toBe('0.30');
    expect(addDecimals('90071992547409.93', '0.01')).toBe('90071992547409.94');
    expect(addDecimals('0', '-0.005')).toBe('-0.005');
  });

  it('does not depend on the order', () => {
    fc.assert(
      fc.property(fc.array(anyUnits, { maxLength: 30 }), anyScale, (units, scale) => {
        const texts = units.map((unit) => formatDecimal(unit, scale));
        const sum = (list: string[]): string => list.reduce(addDecimals, formatDecimal(0n, scale));
        expect(sum(texts.toReversed())).toBe(sum(texts));
        expect(sum(texts)).toBe(
          formatDecimal(
            units.reduce((a, b) => a + b, 0n),
            scale,
          ),
        );
      }),
    );
  });
});

describe('units', () => {
  const written = (units: bigint, scale: number): Units => toUnits(formatDecimal(units, scale), scale);

  it('are numbers where a double holds them exactly, and text beyond', () => {
    expect([toUnits('9999999999999.99', 2), toUnits('10000000000000.00', 2)]).toEqual([
      999999999999999,
      '1000000000000000',
    ]);
    expect(addUnits(999_999_999_999_999, 1)).toBe('1000000000000000');
    expect(addUnits('1000000000000000', -1)).toBe(999_999_999_999_999);
  });

  it('add up exactly, in any order, through JSON, and are written as the decimals are', () => {
    fc.assert(
      fc.property(fc.array(anyUnits, { maxLength: 30 }), anyScale, (list, scale) => {
        const sum = (all: Units[]): Units => JSON.parse(JSON.stringify(all.reduce(addUnits, 0)));
        const all = list.map((units) => written(units, scale));
        const expected = list.reduce((a, b) => a + b, 0n);
        expect(sum(all)).toBe(sum(all.toReversed()));
        expect(formatUnits(sum(all), scale)).toBe(formatDecimal(expected, scale));
      }),
    );
  });
});
