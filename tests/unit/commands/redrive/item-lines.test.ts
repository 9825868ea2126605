import { describe, expect, it } from 'vitest';
import { linesBy } from '../../../../shared/commands/redrive/item-lines.ts';
import type { ChunkEntry } from '../../../../shared/contract/payload-index.ts';

const entry = (firstItem: number, items: number, firstLine: number, lines: [number, number][]): ChunkEntry => ({
  ...{ offset: 0, length: 1, bytes: 1, digest: `sha256:${'0'.repeat(64)}` },
  ...{ items, firstItem, firstLine, lines },
});

describe('linesBy', () => {
  const lineOf = linesBy([
    entry(0, 3, 2, [[2, 1]]),
    entry(3, 1, 7, []),
    entry(4, 3, 9, [
      [1, 3],
      [1, 1],
    ]),
  ]);

  it.each([
    [0, 2],
    [2, 4],
    [3, 7],
    [4, 9],
    [5, 12],
    [6, 13],
  ])('finds item %i on line %i', (index, line) => {
    expect(lineOf(index)).toBe(line);
  });

  it('returns no line for an item that the upload did not have', () => {
    expect(lineOf(7)).toBeUndefined();
    expect(linesBy([])(0)).toBeUndefined();
  });
});
