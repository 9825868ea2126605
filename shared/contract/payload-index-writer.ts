/** Writes the index of a payload: see payload-index.ts for the format. */
import { encodeFrameSync, SKIPPABLE_OVERHEAD, skippableFrame } from './frame.ts';
import {
  type ChunkEntry,
  DIGEST,
  groupFrame,
  INDEX_VERSION,
  type IndexGroup,
  readDirectory,
  readGroup,
  SIZE_BYTES,
} from './payload-index.ts';
import { VarintWriter } from './varint.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
/** A group ends at either limit. Its decoding takes a few milliseconds. */
const GROUP = { chunks: 1_000, bytes: 512 * KiB };
/**
 * Groups that are written together. The index of an upload of a million items is smaller, so it is read with its end, in one
 * call.
 */
const SEGMENT_BYTES = 4 * MiB;

type OpenGroup = Pick<IndexGroup, 'chunks' | 'items' | 'recordBytes' | 'offset'>;
const EMPTY: OpenGroup = { chunks: 0, items: 0, recordBytes: 0, offset: 0 };
interface ClosedGroup extends OpenGroup {
  frame: Uint8Array;
  bytes: number;
}

/** Writes the index of a payload while its chunks are written. Keeps at most one segment in memory, and the directory. */
export class IndexWriter {
  chunks = 0;
  items = 0;
  recordBytes = 0;
  readonly #directory = new VarintWriter().write(INDEX_VERSION);
  #pending: ClosedGroup[] = [];
  #open = { ...EMPTY };
  #entries = new VarintWriter();

  /** Continues an index from its `end` frame, which begins at `at`, as if its chunks had just been added. */
  static resume(end: Uint8Array, at: number): IndexWriter {
    const writer = new IndexWriter();
    const groups = readDirectory(end);
    const last = groups.pop();
    for (const group of groups) writer.#resumeGroup(group, group.at < at ? undefined : groupFrame(end, at, group));
    if (last === undefined) return writer;
    if (last.at < at) writer.#resumeGroup(last, undefined);
    else for (const entry of readGroup(groupFrame(end, at, last), last)) writer.add(entry);
    return writer;
  }

  add({ offset, length, bytes, items, firstLine, lines, digest }: Omit<ChunkEntry, 'firstItem'>): void {
    if (this.#open.chunks === 0) this.#open.offset = offset;
    const hash = Buffer.from(digest.slice(DIGEST.prefix.length), 'hex');
    this.#entries.write(length).write(bytes).write(items).write(firstLine).writeBytes(hash);
    this.#entries.write(lines.length).writeBytes(lines);
    count(this.#open, { chunks: 1, items, recordBytes: bytes });
    count(this, { chunks: 1, items, recordBytes: bytes });
    if (this.#open.chunks < GROUP.chunks && this.#entries.size < GROUP.bytes) return;
    this.#pending.push(...this.#closed());
    this.#open = { ...EMPTY };
    this.#entries = new VarintWriter();
  }

  /** Returns the next segment if it is complete, to be written at `at`, behind the last chunk that was added. */
  takeSegment(at: number): Buffer | undefined {
    if (this.#pending.reduce((sum, { frame }) => sum + frame.length, 0) < SEGMENT_BYTES) return undefined;
    const segment = Buffer.concat(this.#pending.map(({ frame }) => frame));
    listGroups(this.#directory, this.#pending, at);
    this.#pending = [];
    return skippableFrame(segment);
  }

  /** Returns the end of the index, to be written at `at`. Changes nothing, so chunks can be added afterwards. */
  end(at: number): Buffer {
    const groups = [...this.#pending, ...this.#closed()];
    const directory = new VarintWriter().writeBytes(this.#directory.bytes());
    listGroups(directory, groups, at);
    const frame = encodeFrameSync(directory.bytes());
    const size = Buffer.alloc(SIZE_BYTES);
    size.writeUInt32LE(frame.length);
    return skippableFrame(Buffer.concat([...groups.map((group) => group.frame), frame, size]));
  }

  /** Returns the open group as a closed one; none if it is empty. */
  #closed(): ClosedGroup[] {
    if (this.#open.chunks === 0) return [];
    return [{ ...this.#open, frame: encodeFrameSync(this.#entries.bytes()), bytes: this.#entries.size }];
  }

  #resumeGroup(group: IndexGroup, frame: Uint8Array | undefined): void {
    if (frame === undefined) listGroup(this.#directory, group);
    else this.#pending.push({ ...group, frame });
    count(this, group);
  }
}

type Totals = Pick<IndexGroup, 'chunks' | 'items' | 'recordBytes'>;

function count(totals: Totals, { chunks, items, recordBytes }: Totals): void {
  totals.chunks += chunks;
  totals.items += items;
  totals.recordBytes += recordBytes;
}

/** Lists groups that are written one after the other in a skippable frame at `at`. */
function listGroups(directory: VarintWriter, groups: readonly ClosedGroup[], at: number): void {
  let begin = at + SKIPPABLE_OVERHEAD;
  for (const { frame, ...group } of groups) {
    listGroup(directory, { ...group, at: begin, length: frame.length });
    begin += frame.length;
  }
}

function listGroup(directory: VarintWriter, group: Omit<IndexGroup, 'firstChunk' | 'firstItem'>): void {
  const { chunks, items, recordBytes, offset, at, length, bytes } = group;
  for (const value of [chunks, items, recordBytes, offset, at, length, bytes]) directory.write(value);
}
