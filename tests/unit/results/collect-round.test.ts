import { expect, test } from 'vitest';
import { groupsByRows } from '../../../shared/results/collect-round.ts';
import { headerOf } from '../../helpers/factories.ts';

const ends = (n: number, header = headerOf()) =>
  Array.from({ length: n }, (_, index) => ({ chunk: String(index).padStart(6, '0'), header }));
const parts = Array.from({ length: 32 }, (_, part): [number, number] => [part, 1]);

// A transaction takes 100 operations: the batch row, 98 rows of chunks, and one to spare.
test.each([
  ['98 ends fit one transaction', ends(98), [98]],
  ['99 need two', ends(99), [98, 1]],
  ['a retry brings a row of its own', ends(98, headerOf({ retried: 1 })), [49, 49]],
  ['a split brings a row a part', ends(4, headerOf({}, { ending: 'split', parts })), [2, 2]],
  ['nothing needs none', [], []],
])('%s', (_what, list, sizes) => {
  expect(groupsByRows(list).map((group) => group.length)).toEqual(sizes);
});
