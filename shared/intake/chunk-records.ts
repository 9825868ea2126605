import { LineStepsWriter } from '../contract/line-steps.ts';
import type { ChunkEntry } from '../contract/payload-index.ts';
import { grown } from './parse/pending-bytes.ts';
import { type SourcePoint, START } from './parse/position.ts';
import type { RecordBlock } from './parse/record-block.ts';

/** Consecutive records that become one frame and one message; `firstItem`, `firstLine` and `lines` are as in ChunkEntry. */
export interface RawChunk extends Pick<ChunkEntry, 'items' | 'firstItem' | 'firstLine' | 'lines'> {
  /** NDJSON: each record on one line, ended by a line feed. */
  bytes: Buffer;
  /** Where reading can resume once this chunk and all previous ones are stored. */
  end: Checkpoint;
  /**
   * Returns the memory of `bytes` for reuse by a later chunk. Call it at most once, and do not read `bytes` afterwards.
   * Without the call, `bytes` stays valid. Reuse matters because V8 marks its whole heap after every 64 MB of newly
   * allocated external memory, which cost a quarter of the CPU time of an intake.
   */
  release?: () => void;
}

/** A place at which reading of an upload can resume, with the totals before it; plain JSON. */
export interface Checkpoint {
  /** Start of the block of records in which the last chunk ended. */
  at: SourcePoint;
  /** Number of records before `at`, and their bytes as JSON. */
  items: number;
  recordBytes: number;
  /** Number of the first record that is in no chunk yet. Earlier records of its block are read again and dropped. */
  nextItem: number;
}

/** A chunk is full when it has `maxItems` records, or when the next record would make it exceed `maxBytes` of NDJSON. */
export interface ChunkLimits {
  readonly maxItems: number;
  readonly maxBytes: number;
  /** When reading fails, yields the unfinished chunk, for callers that only inspect records. Default false. */
  readonly givesRest?: boolean;
}

/**
 * Groups records into chunks, in order. The chunks do not depend on how the records are divided into blocks. A record over
 * `maxBytes` becomes a chunk of its own. With `resume`, the blocks begin at its place, and the first chunk follows the
 * chunk after which the checkpoint was taken.
 */
export async function* chunkRecords(
  blocks: AsyncIterable<RecordBlock>,
  limits: ChunkLimits,
  resume?: Checkpoint,
): AsyncGenerator<RawChunk> {
  const { nextItem, ...begin } = resume ?? { at: START, items: 0, recordBytes: 0, nextItem: 0 };
  let [place, next] = [begin, begin];
  const free: Buffer[] = [];
  let chunk = new OpenChunk(nextItem, free);
  try {
    for await (const block of blocks) {
      const { length } = block.ends;
      place = { ...next, at: block.from };
      next = { ...place, items: place.items + length, recordBytes: place.recordBytes + recordBytesOf(block) };
      let start = Math.min(Math.max(0, nextItem - place.items), length);
      while (start < length) {
        start = chunk.fill(block, start, limits);
        if (start === length) break;
        yield chunk.close(place);
        chunk = new OpenChunk(chunk.nextItem, free);
      }
    }
  } catch (error) {
    if (limits.givesRest && chunk.items > 0) yield chunk.close(place);
    throw error;
  }
  if (chunk.items > 0) yield chunk.close(place);
}

/** Returns the total size of a block's records without their line feeds. */
export const recordBytesOf = ({ bytes, ends }: RecordBlock): number => bytes.length - ends.length;

class OpenChunk {
  items = 0;
  readonly #firstItem: number;
  readonly #free: Buffer[];
  #buffer: Buffer;
  readonly #lines = new LineStepsWriter();
  #bytes = 0;
  #firstLine = 1;
  #lastLine = 1;

  constructor(firstItem: number, free: Buffer[]) {
    this.#firstItem = firstItem;
    this.#free = free;
    this.#buffer = free.pop() ?? Buffer.alloc(0);
  }

  get nextItem(): number {
    return this.#firstItem + this.items;
  }

  /** Adds records of `block`, starting with number `from`, and returns the number of the first one that does not fit. */
  fill({ bytes, ends, lines }: RecordBlock, from: number, { maxItems, maxBytes }: ChunkLimits): number {
    const start = ends[from - 1] ?? 0;
    let index = from;
    let end = start;
    for (; index < ends.length && this.items < maxItems; index++) {
      const next = ends[index] ?? 0;
      if (this.items > 0 && this.#bytes + next - start > maxBytes) break;
      this.#addLine(lines[index] ?? this.#lastLine);
      this.items++;
      end = next;
    }
    this.#append(bytes.subarray(start, end), maxBytes);
    return index;
  }

  close(block: Omit<Checkpoint, 'nextItem'>): RawChunk {
    const { items } = this;
    const end = { ...block, nextItem: this.nextItem };
    const lines = this.#lines.end();
    const [buffer, free] = [this.#buffer, this.#free];
    const bytes = buffer.subarray(0, this.#bytes);
    const release = (): void => void free.push(buffer);
    return { bytes, items, firstItem: this.#firstItem, firstLine: this.#firstLine, lines, end, release };
  }

  #append(records: Uint8Array, maxBytes: number): void {
    const size = this.#bytes + records.length;
    if (size > this.#buffer.length) {
      const room = Math.max(size, Math.min(2 * this.#buffer.length, maxBytes));
      this.#buffer = grown(this.#buffer, this.#bytes, room);
    }
    this.#buffer.set(records, this.#bytes);
    this.#bytes = size;
  }

  #addLine(line: number): void {
    if (this.items === 0) this.#firstLine = line;
    else this.#lines.add(line - this.#lastLine);
    this.#lastLine = line;
  }
}
