/**
 * Finds the frames of zstd data from their headers (RFC 8878, section 3.1.1), without decoding. Node's decoder stops at the
 * end of a frame unless a write ends there too, and in Node 22 accepts a truncated frame.
 */
import { isSkippableMagic } from '../../contract/frame.ts';
import { Problem } from '../../errors.ts';

const ZSTD_MAGIC = 0xfd2fb528;
/**
 * Each frame needs a call to the thread pool of about 50 µs, so frames without content would cost 4 s of CPU time per MB.
 * Beyond the first 4,096, frames must have 1 KiB on average.
 */
const FREE_FRAMES = 4_096;
const FRAME_BYTES = 1_024;

/** Without any frame, Node's decoder reports that its input is truncated. */
const EMPTY_FRAME = Buffer.from('28b52ffd2000010000', 'hex');

/** The parts of a frame in the order of the format; those before `block` are small and collected completely. */
type Part = 'magic' | 'skippableSize' | 'skipped' | 'descriptor' | 'frameHeader' | 'blockHeader' | 'block' | 'checksum';

const MAGIC: [Part, number] = ['magic', 4];
const BLOCK_HEADER: [Part, number] = ['blockHeader', 3];

/**
 * Yields the bytes of `source` without skippable frames, cut so that no piece extends beyond the end of a frame.
 * @throws Problem 'malformed-encoding' if data is not a frame or a frame is truncated; 'too-large' for too many small frames.
 */
export async function* zstdFrames(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const walk = new FrameWalk();
  let received = 0;
  /** The first bytes of a frame, as long as its kind is unknown. */
  let begun = Buffer.alloc(0);
  for await (const piece of source) {
    for (let start = 0; start < piece.length; ) {
      const end = walk.advance(piece, start);
      const bytes = piece.subarray(start, end);
      start = end;
      received += bytes.length;
      requireLarge(walk.frames, received);
      if (walk.isUnknown) begun = Buffer.concat([begun, bytes]);
      else {
        if (!walk.isSkippable) yield begun.length === 0 ? bytes : Buffer.concat([begun, bytes]);
        begun = Buffer.alloc(0);
      }
    }
  }
  if (!walk.atFrameEnd) throw new Problem('malformed-encoding', 'The body ends inside a zstd frame.');
  if (walk.frames === 0) yield EMPTY_FRAME;
}

function requireLarge(frames: number, received: number): void {
  if ((frames - FREE_FRAMES) * FRAME_BYTES <= received) return;
  const message = `The first ${received} bytes of the body are ${frames} zstd frames: beyond ${FREE_FRAMES}, frames must have ${FRAME_BYTES} bytes on average. Compress it as one frame.`;
  throw new Problem('too-large', message);
}

class FrameWalk {
  #part: Part = 'magic';
  #left = 4;
  #collected: number[] = [];
  #hasChecksum = false;
  #isLastBlock = false;
  atFrameEnd = true;
  /** Whether the current or last frame is skippable. */
  isSkippable = false;
  /** Number of frames so far that are not skippable. */
  frames = 0;

  /** Whether the kind of the current frame is still unknown. */
  get isUnknown(): boolean {
    return !this.atFrameEnd && this.#part === 'magic';
  }

  /** Reads from `start` to the end of the frame or of the piece, and returns that offset. */
  advance(piece: Buffer, start: number): number {
    this.atFrameEnd = false;
    let offset = start;
    while (offset < piece.length && !this.atFrameEnd) {
      const taken = Math.min(this.#left, piece.length - offset);
      if (isHeader(this.#part)) this.#collected.push(...piece.subarray(offset, offset + taken));
      offset += taken;
      this.#left -= taken;
      if (this.#left === 0) this.#next();
    }
    return offset;
  }

  #next(): void {
    const header = Buffer.from(this.#collected);
    this.#collected = [];
    [this.#part, this.#left] = this.#following(header);
    if (this.#part === 'magic') this.atFrameEnd = true;
    else if (this.#left === 0) this.#next();
  }

  /** Returns the part after the one just read, and its size in bytes. */
  #following(header: Buffer): [Part, number] {
    switch (this.#part) {
      case 'magic':
        return this.#followingMagic(header.readUInt32LE());
      case 'skippableSize':
        return ['skipped', header.readUInt32LE()];
      case 'descriptor':
        return this.#followingDescriptor(header.readUInt8());
      case 'frameHeader':
        return BLOCK_HEADER;
      case 'blockHeader':
        return this.#followingBlockHeader(header.readUIntLE(0, 3));
      case 'block':
        if (!this.#isLastBlock) return BLOCK_HEADER;
        return this.#hasChecksum ? ['checksum', 4] : MAGIC;
      case 'checksum':
      case 'skipped':
        return MAGIC;
      default:
        return this.#part satisfies never;
    }
  }

  #followingMagic(magic: number): [Part, number] {
    this.isSkippable = isSkippableMagic(magic);
    if (this.isSkippable) return ['skippableSize', 4];
    this.frames++;
    if (magic === ZSTD_MAGIC) return ['descriptor', 1];
    const what = this.frames === 1 ? 'The body is not zstd' : `There is other data after zstd frame ${this.frames - 1}`;
    throw new Problem('malformed-encoding', `${what}: expected a frame, got 0x${magic.toString(16)}.`);
  }

  #followingDescriptor(descriptor: number): [Part, number] {
    const isSingleSegment = (descriptor & 0x20) !== 0;
    this.#hasChecksum = (descriptor & 0x04) !== 0;
    const dictionary = [0, 1, 2, 4][descriptor & 3] ?? 0;
    const contentSize = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
    return ['frameHeader', (isSingleSegment ? 0 : 1) + dictionary + contentSize];
  }

  /** An RLE block (type 1) is one byte, independent of its decoded length. The decoder refuses the reserved type. */
  #followingBlockHeader(header: number): [Part, number] {
    this.#isLastBlock = (header & 1) === 1;
    return ['block', ((header >> 1) & 3) === 1 ? 1 : header >> 3];
  }
}

const isHeader = (part: Part): boolean => part !== 'block' && part !== 'skipped' && part !== 'checksum';
