import type { ContainerClient } from '@azure/storage-blob';
import type { BatchRow } from '../../batches/batch-row.ts';
import { type ChunkEntry, chunkOfItem, lineOfItem } from '../../contract/payload-index.ts';
import { statusOf } from '../../errors.ts';
import { readChunkIndex } from '../../intake/continue-intake.ts';

/** Returns the 1-based line of the upload on which an item begins; undefined if it is no longer known. */
export type LineOf = (index: number) => number | undefined;

/** Reads where the items of a batch are in its upload; if the payload is gone, no item has a line. */
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

/** Finds lines in the index of a payload. */
export function linesBy(entries: readonly ChunkEntry[]): LineOf {
  return (index) => {
    const entry = entries[chunkOfItem(entries, index) ?? -1];
    return entry && lineOfItem(entry, index);
  };
}
