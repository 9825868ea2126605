import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDecimals, divideRounded, formatDecimal, parseDecimal } from '../../../../workloads/billing/decimal.ts';

const anyUnits = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
const anyScale = fc.integer({ min: 0, max: 12 });

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

  it('comes back as it was written', () => {
    fc.assert(
      fc.property(anyUnits, anyScale, (units, scale) => {
        expect(parseDecimal(formatDecimal(units, scale), scale)).toBe(units);
      }),
    );
  });
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
