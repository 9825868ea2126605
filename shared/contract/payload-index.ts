/**
 * The index at the end of a payload: where each chunk's frame lies, and which lines of the upload its items come from.
 * A skippable frame that holds a zstd frame of JSON, so that the payload as a whole stays plain NDJSON to zstd tools.
 */
import { z } from 'zod';
import { FrameError } from './errors.ts';
import { decodeFrameUpTo, encodeFrame, skippableFrame, skippablePayload } from './frame.ts';

const count = z.number().int().nonnegative();

/**
 * One chunk of a payload. `offset` and `length` locate its frame in the blob; `bytes` is the decoded length, `digest`
 * is of the frame as stored. `firstItem` is the 0-based position in the batch of its first item, `firstLine` the
 * 1-based line of the upload on which that begins. `lines` holds the steps from each item's line to the next one's,
 * run-length coded as [count, step]: [[4999, 1]] for 5,000 lines of plain NDJSON, [] for a single item.
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

/** Far above a million one-item chunks; a bound so that a damaged blob cannot ask for all memory. */
const MAX_INDEX_BYTES = 512 * 1024 * 1024;

/** The index frame of a payload with these chunks, in their order. */
export const encodeIndex = async (chunks: readonly ChunkEntry[]): Promise<Buffer> =>
  skippableFrame(await encodeFrame(Buffer.from(JSON.stringify({ v: 1, chunks }))));

/**
 * Reads an index frame (the bytes from the payload's `indexOffset` on, `indexLength` long).
 * @throws FrameError when it is not an index frame, is damaged, or its chunks do not follow one another without a gap.
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
      throw new FrameError(`Payload index: chunk ${position} does not follow the one before it.`);
    offset += chunk.length;
    item += chunk.items;
  }
}

/**
 * The number of the chunk that has an item; `index` is its 0-based position in the batch. The chunks follow one another, so
 * the last that begins at or before the item has it. Undefined for a position behind the last item.
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
 * The 1-based line of the upload on which an item begins; `index` is its 0-based position in the batch.
 * @throws RangeError when the item is not of this chunk.
 */
export function lineOfItem(
  entry: Pick<ChunkEntry, 'items' | 'firstItem' | 'firstLine' | 'lines'>,
  index: number,
): number {
  let steps = index - entry.firstItem;
  if (!Number.isInteger(steps) || steps < 0 || steps >= entry.items)
    throw new RangeError(`Item ${index} is not of ${entry.firstItem} to ${entry.firstItem + entry.items - 1}.`);
  let line = entry.firstLine;
  for (const [times, step] of entry.lines) {
    line += Math.min(steps, times) * step;
    steps -= Math.min(steps, times);
  }
  return line;
}
