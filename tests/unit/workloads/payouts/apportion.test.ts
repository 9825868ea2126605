import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apportion } from '../../../../workloads/payouts/apportion.ts';

const weights = fc
  .array(fc.bigInt(0n, 1_000_000n), { minLength: 1, maxLength: 50 })
  .filter((list) => list.some((weight) => weight > 0n));
const total = fc.bigInt(0n, 10n ** 15n);
const sum = (list: readonly bigint[]): bigint => list.reduce((all, one) => all + one, 0n);

describe('apportion', () => {
  it.each([
    [100n, [1n, 1n, 1n], [34n, 33n, 33n]],
    [5n, [50n, 30n, 20n], [3n, 1n, 1n]],
    [1n, [1n, 2n], [0n, 1n]],
    [0n, [3n, 4n], [0n, 0n]],
    [7n, [0n, 1n], [0n, 7n]],
  ])('divides %s by %s into %s', (units, by, parts) => {
    expect(apportion(units, by)).toEqual(parts);
  });

  it('returns parts that sum to the total, each its exact part rounded down or up', () => {
    fc.assert(
      fc.property(total, weights, (units, by) => {
        const parts = apportion(units, by);
        expect(sum(parts)).toBe(units);
        for (const [index, part] of parts.entries()) {
          const exact = units * (by[index] ?? 0n);
          const off = part * sum(by) - exact;
          expect(off > -sum(by) && off < sum(by)).toBe(true);
        }
      }),
    );
  });

  it.each([
    [-1n, [1n]],
    [1n, [0n]],
    [1n, [2n, -1n]],
  ])('refuses %s by %s', (units, by) => {
    expect(() => apportion(units, by)).toThrow(RangeError);
  });
});
