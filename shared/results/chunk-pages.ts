/** Reads the frames of a batch's chunks in pages, by ledger rows: a listing may contain blobs that never counted. */
import type { ContainerClient } from '@azure/storage-blob';
import type { ChunkRow } from '../batches/chunk-row.ts';
import { outcomeBlobName } from '../contract/names.ts';
import type { FramePlace, OutcomeHeader } from '../contract/outcome.ts';
import { readRange } from '../processing/fetch-frames.ts';
import { readFrameLines } from '../processing/outcome/read-outcome.ts';

export type FrameName = 'results' | 'retries' | 'dead' | 'partial';

export interface ChunkFrame {
  row: ChunkRow;
  header: OutcomeHeader;
  blob: string;
  place: FramePlace;
}

/** Maximum number of rows that a page reads in search of frames: ten queries. Perhaps no chunk has one. */
const MAX_ROWS = 10_000;

/** The limits of a page: it ends after `chunks` frames, or before the frame that would exceed `bytes` decoded bytes. */
export interface PageLimits {
  chunks: number;
  bytes: number;
}

/** Some frames in row order; `next` is the chunk to continue with. */
export interface ChunkPage {
  frames: ChunkFrame[];
  next: string | undefined;
}

/** Returns the frame with that name; undefined if the chunk has none. */
export function frameOfChunk(row: ChunkRow, name: FrameName): ChunkFrame | undefined {
  const place = row.header?.[name];
  if (row.header === undefined || place === undefined) return undefined;
  return { row, header: row.header, blob: outcomeBlobName(row.reference.workload, row.batch, row.chunk), place };
}

/** Takes frames from rows until the page is full; the first may have any size. The page may be empty and still have a next one. */
export async function planPage(rows: AsyncIterable<ChunkRow>, name: FrameName, limits: PageLimits): Promise<ChunkPage> {
  const frames: ChunkFrame[] = [];
  let bytes = 0;
  let read = 0;
  for await (const row of rows) {
    if (read === MAX_ROWS) return { frames, next: row.chunk };
    read += 1;
    const frame = frameOfChunk(row, name);
    if (!frame) continue;
    bytes += frame.place.bytes;
    if (frames.length >= limits.chunks || (frames.length > 0 && bytes > limits.bytes)) {
      return { frames, next: row.chunk };
    }
    frames.push(frame);
  }
  return { frames, next: undefined };
}

/**
 * Reads the lines of a frame.
 * @throws FrameError if the stored bytes do not match the ledger.
 */
export const readLines = (results: ContainerClient, { blob, place }: ChunkFrame): Promise<string[]> =>
  readFrameLines(place, async (offset, length) => {
    const bytes = await readRange(results, { container: 'results', blob, offset, length });
    if (bytes) return bytes;
    throw new Error(`The outcome blob ${blob} does not exist, or is shorter than its row states.`);
  });
