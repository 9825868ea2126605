import type { ContainerClient } from '@azure/storage-blob';
import type { BatchRow } from '../../batches/batch-row.ts';
import { type ChunkEntry, lineOfItem } from '../../contract/payload-index.ts';
import { statusOf } from '../../errors.ts';
import { readChunkIndex } from '../../intake/continue-intake.ts';

/** The 1-based line of the upload on which an item begins; undefined when nobody can say any more. */
export type LineOf = (index: number) => number | undefined;

/** Reads where the items of a batch stood in its upload; of a payload that is gone, no item has a line. */
export async function readItemLines(
  deps: { container: (name: string) => ContainerClient },
  batch: BatchRow,
): Promise<LineOf> {
  try {
    return linesBy(await readChunkIndex(deps, batch));
  } catch (error) {
    if (statusOf(error) === 404) return () => undefined;
    throw error;
  }
}

/** Looks lines up in a payload's index: its chunks follow one another, so the last that begins at or before an item has it. */
export function linesBy(entries: readonly ChunkEntry[]): LineOf {
  return (index) => {
    let low = 0;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((entries[middle]?.firstItem ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    const entry = entries[low - 1];
    return entry === undefined || index >= entry.firstItem + entry.items ? undefined : lineOfItem(entry, index);
  };
}
