import type { ContainerClient } from '@azure/storage-blob';
import type { BatchRow } from '../../batches/batch-row.ts';
import { FrameError } from '../../contract/errors.ts';
import { decodeFrame } from '../../contract/frame.ts';
import { CONTAINERS } from '../../contract/names.ts';
import type { ChunkEntry } from '../../contract/payload-index.ts';
import { statusOf } from '../../errors.ts';
import { readChunkIndex } from '../../intake/continue-intake.ts';
import { readRange } from '../../processing/fetch-frames.ts';
import { splitLines } from '../../processing/sources.ts';

interface Deps {
  container: (name: string) => ContainerClient;
}

/**
 * Reads items as they were uploaded, as JSON text by index. They are needed for dead letters without their item
 * (because a digest did not match or a blob was missing). Items that still cannot be read are missing in the result.
 */
export async function readOriginals(
  deps: Deps,
  batch: BatchRow,
  indices: readonly number[],
): Promise<Map<number, string>> {
  return indices.length === 0
    ? new Map()
    : originalsIn(deps, batch, { entries: await readEntries(deps, batch), indices });
}

/** Reads originals like `readOriginals`, for a payload whose index was already read. */
export async function originalsIn(
  deps: Deps,
  batch: BatchRow,
  { entries, indices }: { entries: readonly ChunkEntry[]; indices: readonly number[] },
): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  for (const [entry, wanted] of byChunk(entries, indices)) {
    const lines = await readLines(deps, batch, entry);
    for (const index of wanted) {
      const line = lines[index - entry.firstItem];
      if (line !== undefined) found.set(index, line);
    }
  }
  return found;
}

async function readEntries(deps: Deps, batch: BatchRow): Promise<ChunkEntry[]> {
  try {
    return await readChunkIndex(deps, batch);
  } catch (error) {
    if (error instanceof FrameError || statusOf(error) === 404) return [];
    throw error;
  }
}

/** Groups the indices by chunk; both lists are walked in ascending order. */
function byChunk(entries: readonly ChunkEntry[], indices: readonly number[]): Map<ChunkEntry, number[]> {
  const groups = new Map<ChunkEntry, number[]>();
  let at = 0;
  for (const index of [...indices].sort((a, b) => a - b)) {
    while (at < entries.length && isBefore(entries[at], index)) at += 1;
    const entry = entries[at];
    if (entry) groups.set(entry, [...(groups.get(entry) ?? []), index]);
  }
  return groups;
}

const isBefore = (entry: ChunkEntry | undefined, index: number): boolean =>
  entry !== undefined && entry.firstItem + entry.items <= index;

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
