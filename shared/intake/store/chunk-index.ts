/** Reads the index of a stored payload: only the groups that are needed, and without holding up other work of the process. */
import type { ContainerClient } from '@azure/storage-blob';
import type { BatchRow } from '../../batches/batch-row.ts';
import { FrameError } from '../../contract/errors.ts';
import { CONTAINERS } from '../../contract/names.ts';
import {
  type ChunkEntry,
  chunkOfItem,
  groupFrame,
  type IndexGroup,
  readDirectory,
  readGroup,
} from '../../contract/payload-index.ts';
import { downloadBytes } from '../../storage/blob-reads.ts';
import { Turns } from '../../turns.ts';

/** Maximum that is read at a time of groups that are not in the end of the index. */
const READ_BYTES = 4 * 1024 * 1024;

type Read = (offset: number, count: number) => Promise<Uint8Array>;

/** A part of the payload that is in memory. */
interface Part {
  at: number;
  bytes: Uint8Array;
}

/** The chunks of a payload. Keeps the end of the index in memory, and the last part and group that were read. */
export class ChunkIndex {
  readonly #read: Read;
  readonly #groups: readonly IndexGroup[];
  readonly #end: Part;
  #part: Part | undefined;
  #last: { group: IndexGroup; entries: ChunkEntry[] } | undefined;

  /** @throws FrameError if `end`, the end of an index that begins at `at` of the payload, is damaged. */
  constructor(end: Uint8Array, at: number, read: Read) {
    this.#groups = readDirectory(end);
    this.#end = { at, bytes: end };
    this.#read = read;
  }

  get chunks(): number {
    const last = this.#groups.at(-1);
    return last === undefined ? 0 : last.firstChunk + last.chunks;
  }

  /** Yields the chunks in order, from chunk number `first` on. */
  async *entries(first = 0): AsyncGenerator<ChunkEntry> {
    const turns = new Turns();
    for (const group of this.#groups) {
      if (group.firstChunk + group.chunks <= first) continue;
      yield* (await this.#entriesOf(group)).slice(Math.max(0, first - group.firstChunk));
      await turns.next();
    }
  }

  /** Returns at most `count` chunks, from chunk number `first` on. */
  async some(first: number, count: number): Promise<ChunkEntry[]> {
    const found: ChunkEntry[] = [];
    for await (const entry of this.entries(first)) {
      if (found.length === count) break;
      found.push(entry);
    }
    return found;
  }

  /** Returns the chunk that contains the item at `position` of the batch, and its number; undefined after the last item. */
  async find(position: number): Promise<{ number: number; entry: ChunkEntry } | undefined> {
    const group = this.#groups[chunkOfItem(this.#groups, position) ?? -1];
    if (group === undefined) return undefined;
    const entries = await this.#entriesOf(group);
    const index = chunkOfItem(entries, position) ?? -1;
    const entry = entries[index];
    return entry && { number: group.firstChunk + index, entry };
  }

  async #entriesOf(group: IndexGroup): Promise<ChunkEntry[]> {
    if (this.#last?.group !== group) {
      const { at, bytes } = await this.#partOf(group);
      this.#last = { group, entries: readGroup(groupFrame(bytes, at, group), group) };
    }
    return this.#last.entries;
  }

  async #partOf(group: IndexGroup): Promise<Part> {
    if (group.at >= this.#end.at) return this.#end;
    const end = group.at + group.length;
    if (this.#part && group.at >= this.#part.at && end <= this.#part.at + this.#part.bytes.length) return this.#part;
    const count = this.#together(group) - group.at;
    const part = { at: group.at, bytes: await this.#read(group.at, count) };
    if (part.bytes.length !== count) throw new FrameError(`The payload ends inside its index, at ${group.at}.`);
    this.#part = part;
    return part;
  }

  /** Returns the end of the groups that follow `first` without a gap, as far as they are read together. */
  #together(first: IndexGroup): number {
    let end = first.at + first.length;
    for (const { at, length } of this.#groups.slice(this.#groups.indexOf(first) + 1)) {
      if (at !== end || end + length - first.at > READ_BYTES) break;
      end += length;
    }
    return end;
  }
}

/**
 * Opens the index of a batch's payload. `end` is its end, if it is already in memory.
 * @throws FrameError if the index is damaged.
 */
export async function openChunkIndex(
  deps: { container: (name: string) => ContainerClient },
  { payload, indexOffset, indexLength }: Pick<BatchRow, 'payload' | 'indexOffset' | 'indexLength'>,
  end?: Uint8Array,
): Promise<ChunkIndex> {
  const blob = deps.container(CONTAINERS.payloads).getBlobClient(payload);
  const read: Read = (offset, count) => downloadBytes(blob, { offset, count });
  const bytes = end ?? (await read(indexOffset, indexLength));
  if (bytes.length !== indexLength) throw new FrameError(`The index of payload ${payload} is truncated.`);
  return new ChunkIndex(bytes, indexOffset, read);
}
