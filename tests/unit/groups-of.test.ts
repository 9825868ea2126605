import { expect, test } from 'vitest';
import { groupsOf, groupsOfSource } from '../../shared/groups-of.ts';

test('cuts a list into groups', () => {
  expect([...groupsOf([1, 2, 3, 4, 5], 2)]).toEqual([[1, 2], [3, 4], [5]]);
  expect([...groupsOf([], 2)]).toEqual([]);
});

test('cuts a source into groups without its first items, and takes no more of it than the current group', async () => {
  let taken = 0;
  async function* source(): AsyncGenerator<number> {
    for (let n = 0; n < 9; n++) {
      taken++;
      yield n;
    }
  }
  const seen: [number[], number][] = [];
  for await (const group of groupsOfSource(source(), { size: 3, skipped: 2 })) seen.push([group, taken]);
  expect(seen).toEqual([
    [[2, 3, 4], 5],
    [[5, 6, 7], 8],
    [[8], 9],
  ]);
});
