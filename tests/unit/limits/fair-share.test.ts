import { expect, test } from 'vitest';
import { divide } from '../../../shared/limits/fair-share.ts';

test.each([
  [100, [50, 50], [50, 50]],
  [100, [20, 200], [20, 80]],
  [90, [Number.POSITIVE_INFINITY, 10, Number.POSITIVE_INFINITY], [40, 10, 40]],
  [100, [10, 10], [10, 10]],
])('divides %d among %j as %j', (total, wants, parts) => {
  expect(divide(total, wants)).toEqual(parts);
});
