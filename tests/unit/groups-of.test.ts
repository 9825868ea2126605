import { expect, test } from 'vitest';
import { groupsOf, groupsOfSource } from '../../shared/groups-of.ts';

test('cuts a list into groups', () => {
  expect([...groupsOf([1, 2, 3, 4, 5], 2)]).toEqual([[1, 2], [3, 4], [5]]);
  expect([...groupsOf([], 2)]).toEqual([]);
});

test('cuts a source into groups, and takes no more of it than the current group', async () => {
  let taken = 0;
  async function* source(): AsyncGenerator<number> {
    for (let n = 0; n < 8; n++) {
      taken++;
      yield n;
    }
  }
  const seen: [number[], number][] = [];
  for await (const group of groupsOfSource(source(), 3)) seen.push([group, taken]);
  expect(seen).toEqual([
    [[0, 1, 2], 3],
    [[3, 4, 5], 6],
    [[6, 7], 8],
  ]);
});
