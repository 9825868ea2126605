import type { BatchRow } from '../../batches/batch-row.ts';
import type { BatchStore } from '../../batches/remove-batch.ts';
import { FrameError } from '../../contract/errors.ts';
import { decodeFrame } from '../../contract/frame.ts';
import { CONTAINERS } from '../../contract/names.ts';
import type { ChunkEntry } from '../../contract/payload-index.ts';
import { statusOf } from '../../errors.ts';
import { openChunkIndex } from '../../intake/store/chunk-index.ts';
import { readRange } from '../../processing/fetch-frames.ts';
import { splitLines } from '../../processing/sources.ts';

type Deps = Pick<BatchStore, 'container'>;

/**
 * Reads items as they were uploaded, as JSON text by index. They are needed for dead letters without their item
 * (because a digest did not match or a blob was missing). Items that still cannot be read are missing in the result.
 */
export async function readOriginals(
  deps: Deps,
  batch: BatchRow,
  indices: readonly number[],
): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  for (const [entry, wanted] of await byChunk(deps, batch, indices))
    for (const [index, line] of await originalsIn(deps, batch, { entry, indices: wanted })) found.set(index, line);
  return found;
}

/** Reads originals of one chunk like `readOriginals`. */
export async function originalsIn(
  deps: Deps,
  batch: BatchRow,
  { entry, indices }: { entry: ChunkEntry; indices: readonly number[] },
): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  const lines = await readLines(deps, batch, entry);
  for (const index of indices) {
    const line = lines[index - entry.firstItem];
    if (line !== undefined) found.set(index, line);
  }
  return found;
}

/** Groups the indices by chunk; none if the index of the payload cannot be read. */
async function byChunk(deps: Deps, batch: BatchRow, indices: readonly number[]): Promise<Map<ChunkEntry, number[]>> {
  const groups = new Map<ChunkEntry, number[]>();
  if (indices.length === 0) return groups;
  try {
    const chunks = await openChunkIndex(deps, batch);
    let last: { entry: ChunkEntry; indices: number[] } | undefined;
    for (const index of [...indices].sort((a, b) => a - b)) {
      if (last === undefined || index >= last.entry.firstItem + last.entry.items) {
        const found = await chunks.find(index);
        if (found === undefined) break;
        last = { entry: found.entry, indices: [] };
        groups.set(last.entry, last.indices);
      }
      last.indices.push(index);
    }
  } catch (error) {
    if (!(error instanceof FrameError) && statusOf(error) !== 404) throw error;
  }
  return groups;
}

async function readLines(deps: Deps, batch: BatchRow, entry: ChunkEntry): Promise<string[]> {
  try {
    return (await readChunkItems(deps, batch, entry)) ?? [];
  } catch (error) {
    if (error instanceof FrameError) return [];
    throw error;
  }
}

/**
 * Reads the items of a chunk of the payload as JSON text; undefined if the payload is gone.
 * @throws FrameError if the stored bytes do not match the index.
 */
export async function readChunkItems(deps: Deps, batch: BatchRow, entry: ChunkEntry): Promise<string[] | undefined> {
  const { offset, length } = entry;
  const range = { container: 'payloads', blob: batch.payload, offset, length } as const;
  const frame = await readRange(deps.container(CONTAINERS.payloads), range);
  return frame && splitLines(decodeFrame(frame, entry).toString('utf8'));
}
