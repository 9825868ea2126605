import { describe, expect, it } from 'vitest';
import { linesBy } from '../../../../shared/commands/redrive/item-lines.ts';
import { type ChunkEntry, chunkOfItem } from '../../../../shared/contract/payload-index.ts';
import { lineSteps } from '../../../helpers/data/line-steps.ts';

const entry = (firstItem: number, items: number, firstLine: number, lines: [number, number][]): ChunkEntry => ({
  ...{ offset: 0, length: 1, bytes: 1, digest: `sha256:${'0'.repeat(64)}` },
  ...{ items, firstItem, firstLine, lines: lineSteps(...lines) },
});

const indexOf = (entries: readonly ChunkEntry[]): Parameters<typeof linesBy>[0] => ({
  find: async (position) => {
    const number = chunkOfItem(entries, position) ?? -1;
    const entry = entries[number];
    return entry && { number, entry };
  },
});

describe('linesBy', () => {
  const entries = [
    entry(0, 3, 2, [[2, 1]]),
    entry(3, 1, 7, []),
    entry(4, 3, 9, [
      [1, 3],
      [1, 1],
    ]),
  ];
  const lineOf = linesBy(indexOf(entries));

  it.each([
    [0, 2],
    [2, 4],
    [3, 7],
    [4, 9],
    [5, 12],
    [6, 13],
  ])('finds item %i on line %i', async (index, line) => {
    expect(await lineOf(index)).toBe(line);
  });

  it('returns no line for an item that the upload did not have', async () => {
    expect(await lineOf(7)).toBeUndefined();
    expect(await linesBy(indexOf([]))(0)).toBeUndefined();
  });

  it('reads the lines of a chunk once for all its items, also if each item has a run of its own', async () => {
    const items = 100_000;
    const runs = Array.from({ length: items - 1 }, (_, n): [number, number] => [1, 1 + (n % 2)]);
    const irregular = entry(0, items, 1, runs);
    let reads = 0;
    const lines = new Proxy(irregular.lines, {
      get: (bytes, key) => {
        reads++;
        return Reflect.get(bytes, key, bytes);
      },
    });
    const lineOf = linesBy(indexOf([{ ...irregular, lines }]));
    for (let index = 0; index < 100; index++) expect(await lineOf(index)).toBe(1 + index + Math.floor(index / 2));
    expect(reads).toBeLessThan(3 * irregular.lines.length + 10);
  });
});
