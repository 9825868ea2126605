/**
 * The index at the end of a payload: the position of each chunk's frame, and the upload lines of its items. It is a skippable
 * frame that contains a zstd frame of JSON, so that zstd tools decompress the payload as plain NDJSON.
 */
import { z } from 'zod';
import { FrameError } from './errors.ts';
import { decodeFrameUpTo, encodeFrame, skippableFrame, skippablePayload } from './frame.ts';

const count = z.number().int().nonnegative();

/**
 * One chunk of a payload. `offset` and `length` locate its frame in the blob. `bytes` is the decoded length, and `digest` that
 * of the frame as stored. `firstItem` is the 0-based position of its first item in the batch, and `firstLine` the 1-based line
 * of the upload on which this item begins. `lines` contains the distances from each item's line to the next one's, run-length
 * encoded as [count, step]: [[4999, 1]] for 5,000 lines of plain NDJSON, [] for a single item.
 */
const chunkEntrySchema = z.object({
  offset: count,
  length: count.positive(),
  bytes: count.positive(),
  items: count.positive(),
  firstItem: count,
  firstLine: count.positive(),
  lines: z.array(z.tuple([count.positive(), count])),
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
});
export type ChunkEntry = z.infer<typeof chunkEntrySchema>;

const indexSchema = z.object({ v: z.literal(1), chunks: z.array(chunkEntrySchema) });

/** Far above a million one-item chunks. Prevents a damaged blob from exhausting memory. */
const MAX_INDEX_BYTES = 512 * 1024 * 1024;

/** Creates the index frame of a payload from its chunks in order. */
export const encodeIndex = async (chunks: readonly ChunkEntry[]): Promise<Buffer> =>
  skippableFrame(await encodeFrame(Buffer.from(JSON.stringify({ v: 1, chunks }))));

/**
 * Reads an index frame (`indexLength` bytes of the payload from `indexOffset`).
 * @throws FrameError if it is no index frame, is damaged, or its chunks are not contiguous.
 */
export function readIndex(frame: Uint8Array): ChunkEntry[] {
  const parsed = indexSchema.safeParse(parseJson(decodeFrameUpTo(skippablePayload(frame), MAX_INDEX_BYTES)));
  if (!parsed.success) throw new FrameError(`Payload index is malformed: ${z.prettifyError(parsed.error)}`);
  requireGapless(parsed.data.chunks);
  return parsed.data.chunks;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new FrameError('Payload index is not JSON.', { cause: error });
  }
}

function requireGapless(chunks: readonly ChunkEntry[]): void {
  let offset = 0;
  let item = 0;
  for (const [position, chunk] of chunks.entries()) {
    const steps = chunk.lines.reduce((sum, [times]) => sum + times, 0);
    if (chunk.offset !== offset || chunk.firstItem !== item || steps !== chunk.items - 1)
      throw new FrameError(`Payload index: chunk ${position} does not follow the previous chunk without a gap.`);
    offset += chunk.length;
    item += chunk.items;
  }
}

/**
 * Returns the number of the chunk that contains an item, or undefined for a position after the last item. `index` is the
 * 0-based position in the batch. Chunks are contiguous, so it is the last chunk that begins at or before the item.
 */
export function chunkOfItem(
  entries: readonly Pick<ChunkEntry, 'items' | 'firstItem'>[],
  index: number,
): number | undefined {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.firstItem ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  const entry = entries[low - 1];
  return entry === undefined || index >= entry.firstItem + entry.items ? undefined : low - 1;
}

/**
 * Returns the 1-based line of the upload on which an item begins. `index` is the 0-based position in the batch.
 * @throws RangeError if the item is not in this chunk.
 */
export function lineOfItem(
  entry: Pick<ChunkEntry, 'items' | 'firstItem' | 'firstLine' | 'lines'>,
  index: number,
): number {
  let steps = index - entry.firstItem;
  if (!Number.isInteger(steps) || steps < 0 || steps >= entry.items)
    throw new RangeError(
      `Expected an item from ${entry.firstItem} to ${entry.firstItem + entry.items - 1}, got ${index}.`,
    );
  let line = entry.firstLine;
  for (const [times, step] of entry.lines) {
    line += Math.min(steps, times) * step;
    steps -= Math.min(steps, times);
  }
  return line;
}
