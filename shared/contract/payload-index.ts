/**
 * The index of a payload: the position of each chunk's frame, and the upload lines of its items. Chunks are indexed in groups,
 * each a zstd frame of its own, so that neither the writer nor a reader needs the memory or the time for all of them at once:
 *
 *     payload   = (chunk frame* segment)* chunk frame* end
 *     segment   = skippable frame of (group*)
 *     end       = skippable frame of (group* directory size-of-directory)
 *     group     = zstd frame of (chunk*)
 *     chunk     = length bytes items firstLine digest size-of-lines lines
 *     directory = zstd frame of (version (chunks items recordBytes offset at length bytes of a group)*)
 *
 * Numbers are varints (varint.ts), except for the size of the directory: 4 bytes, little-endian. `digest` is the 32 bytes of
 * SHA-256, `lines` as in line-steps.ts. The frames of a group's chunks follow each other without a gap from `offset` on; `at`
 * and `length` locate the group in the payload, `bytes` is its decoded length, and `recordBytes` that of its chunks. zstd tools skip skippable frames, so they
 * decompress the payload as plain NDJSON.
 */
import { FrameError } from './errors.ts';
import { decodeFrame, decodeFrameUpTo, skippablePayload } from './frame.ts';
import { type LineSteps, runsOf } from './line-steps.ts';
import { VarintReader } from './varint.ts';

export const INDEX_VERSION = 2;
const MiB = 1024 * 1024;
/** Above a group with one more chunk of the maximum number of items. Prevents a damaged blob from exhausting memory. */
const MAX_GROUP_BYTES = 4 * MiB;
const MAX_DIRECTORY_BYTES = 4 * MiB;
/** The text before the hexadecimal digits of a digest, and its length in the index. */
export const DIGEST = { prefix: 'sha256:', bytes: 32 };
export const SIZE_BYTES = 4;

/**
 * One chunk of a payload. `offset` and `length` locate its frame in the blob. `bytes` is the decoded length, and `digest` that
 * of the frame as stored. `firstItem` is the 0-based position of its first item in the batch, and `firstLine` the 1-based line
 * of the upload on which this item begins. `lines` contains the distances from each item's line to the next one's.
 */
export interface ChunkEntry {
  offset: number;
  length: number;
  bytes: number;
  items: number;
  firstItem: number;
  firstLine: number;
  lines: LineSteps;
  digest: string;
}

/** Consecutive chunks of the index, and where they are: see the format above. */
export interface IndexGroup {
  firstChunk: number;
  chunks: number;
  firstItem: number;
  items: number;
  recordBytes: number;
  offset: number;
  at: number;
  length: number;
  bytes: number;
}

/**
 * Reads the groups of an index from its `end` frame.
 * @throws FrameError if it is damaged, or of another version.
 */
export function readDirectory(end: Uint8Array): IndexGroup[] {
  const payload = skippablePayload(end);
  const size =
    payload.length < SIZE_BYTES ? Number.POSITIVE_INFINITY : payload.readUInt32LE(payload.length - SIZE_BYTES);
  const start = payload.length - SIZE_BYTES - size;
  if (start < 0) throw new FrameError('The payload index has no directory.');
  const directory = decodeFrameUpTo(payload.subarray(start, start + size), MAX_DIRECTORY_BYTES);
  const reader = new VarintReader(directory);
  const version = reader.read();
  if (version !== INDEX_VERSION)
    throw new FrameError(`Payload index: expected version ${INDEX_VERSION}, got ${version}.`);
  const groups: IndexGroup[] = [];
  let [firstChunk, firstItem] = [0, 0];
  while (!reader.isAtEnd) {
    const [chunks, items, recordBytes] = [reader.read(), reader.read(), reader.read()];
    const [offset, at, length, bytes] = [reader.read(), reader.read(), reader.read(), reader.read()];
    groups.push({ firstChunk, chunks, firstItem, items, recordBytes, offset, at, length, bytes });
    firstChunk += chunks;
    firstItem += items;
  }
  return groups;
}

/**
 * Reads the chunks of a group from its frame.
 * @throws FrameError if the frame is damaged, or does not match the directory.
 */
export function readGroup(frame: Uint8Array, group: IndexGroup): ChunkEntry[] {
  if (group.bytes > MAX_GROUP_BYTES) throw new FrameError(`Payload index: a group has ${group.bytes} bytes.`);
  const reader = new VarintReader(decodeFrame(frame, group));
  const entries: ChunkEntry[] = [];
  let { offset, firstItem } = group;
  while (!reader.isAtEnd) {
    const [length, bytes, items, firstLine] = [reader.read(), reader.read(), reader.read(), reader.read()];
    const digest = `${DIGEST.prefix}${Buffer.from(reader.readBytes(DIGEST.bytes)).toString('hex')}`;
    const lines = reader.readBytes(reader.read());
    entries.push({ offset, length, bytes, items, firstItem, firstLine, lines, digest });
    offset += length;
    firstItem += items;
  }
  if (entries.length !== group.chunks || firstItem !== group.firstItem + group.items)
    throw new FrameError(`Payload index: group at ${group.at} does not match the directory.`);
  return entries;
}

/** Returns the frame of a group in `bytes`, which begin at `at` of the payload. */
export const groupFrame = (bytes: Uint8Array, at: number, group: IndexGroup): Uint8Array =>
  bytes.subarray(group.at - at, group.at - at + group.length);

/**
 * Returns the number of the chunk or group that contains an item, or undefined for a position after the last item. `index` is
 * the 0-based position in the batch. They are contiguous, so it is the last one that begins at or before the item.
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
  for (const [times, step] of runsOf(entry.lines)) {
    if (steps === 0) break;
    line += Math.min(steps, times) * step;
    steps -= Math.min(steps, times);
  }
  return line;
}
