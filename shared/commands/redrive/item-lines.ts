import type { ContainerClient } from '@azure/storage-blob';
import type { BatchRow } from '../../batches/batch-row.ts';
import { type ChunkEntry, chunkOfItem, lineOfItem } from '../../contract/payload-index.ts';
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

/** Looks lines up in a payload's index. */
export function linesBy(entries: readonly ChunkEntry[]): LineOf {
  return (index) => {
    const entry = entries[chunkOfItem(entries, index) ?? -1];
    return entry && lineOfItem(entry, index);
  };
}
