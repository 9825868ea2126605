import { expect, test } from 'vitest';
import { groupsOf } from '../../shared/groups-of.ts';

test('cuts a list into groups', () => {
  expect([...groupsOf([1, 2, 3, 4, 5], 2)]).toEqual([[1, 2], [3, 4], [5]]);
  expect([...groupsOf([], 2)]).toEqual([]);
});
