import type { BatchRow } from '../../batches/batch-row.ts';
import type { BatchStore } from '../../batches/remove-batch.ts';
import { runsOf } from '../../contract/line-steps.ts';
import type { ChunkEntry } from '../../contract/payload-index.ts';
import { unlessStatus } from '../../errors.ts';
import { type ChunkIndex, openChunkIndex } from '../../intake/store/chunk-index.ts';

/** Returns the 1-based line of the upload on which an item begins; undefined if it is no longer known. */
export type LineOf = (index: number) => Promise<number | undefined>;

/** Reads where the items of a batch are in its upload; if the payload is gone, no item has a line. */
export async function readItemLines(deps: Pick<BatchStore, 'container'>, batch: BatchRow): Promise<LineOf> {
  const index = await unlessStatus([404], openChunkIndex(deps, batch));
  return index ? linesBy(index) : async () => undefined;
}

/**
 * Finds lines in the index of a payload. The lines of the last chunk are kept: callers ask for many items of a chunk, which may
 * have a run of lines per item.
 */
export function linesBy(index: Pick<ChunkIndex, 'find'>): LineOf {
  let last: { entry: ChunkEntry; lines: Float64Array } | undefined;
  return async (position) => {
    const isInLast = last && position >= last.entry.firstItem && position < last.entry.firstItem + last.entry.items;
    if (!isInLast) {
      const found = await index.find(position);
      if (found === undefined) return undefined;
      last = { entry: found.entry, lines: linesOf(found.entry) };
    }
    return last?.lines[position - last.entry.firstItem];
  };
}

function linesOf({ items, firstLine, lines }: ChunkEntry): Float64Array {
  const all = new Float64Array(items).fill(firstLine);
  let [item, line] = [0, firstLine];
  for (const [count, step] of runsOf(lines)) for (let n = 0; n < count; n++) all[++item] = line += step;
  return all;
}
