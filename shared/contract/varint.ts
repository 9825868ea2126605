/** Numbers in few bytes: seven bits per byte, the lowest first; the high bit of a byte says that another one follows. */
import { FrameError } from './errors.ts';

const CONTINUED = 0x80;
/** A number up to 2^53 needs eight bytes. */
const MAX_BYTES = 8;
const MIN_ROOM = 16;

/** Collects numbers and bytes in one growing buffer. */
export class VarintWriter {
  #buffer = Buffer.alloc(0);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Appends a whole number from 0 to 2^53 - 1. */
  write(value: number): this {
    this.#reserve(MAX_BYTES);
    let rest = value;
    for (; rest >= CONTINUED; rest = Math.floor(rest / CONTINUED))
      this.#buffer[this.#size++] = (rest % CONTINUED) + CONTINUED;
    this.#buffer[this.#size++] = rest;
    return this;
  }

  writeBytes(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#size);
    this.#size += bytes.length;
    return this;
  }

  bytes(): Buffer {
    return Buffer.from(this.#buffer.subarray(0, this.#size));
  }

  #reserve(more: number): void {
    if (this.#size + more <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(MIN_ROOM, 2 * this.#buffer.length, this.#size + more));
    larger.set(this.#buffer.subarray(0, this.#size));
    this.#buffer = larger;
  }
}

/** Reads what a VarintWriter has written. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Returns the bytes that are not read yet, without a copy. */
  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }

  /** @throws FrameError at the end of the bytes, and for a number over 2^53. */
  read(): number {
    let value = 0;
    let factor = 1;
    for (let count = 0; count < MAX_BYTES; count++) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) break;
      if (byte < CONTINUED) return value + byte * factor;
      value += (byte - CONTINUED) * factor;
      factor *= CONTINUED;
    }
    throw new FrameError('Expected a number in the payload index.');
  }

  /**
   * Reads `length` bytes, without a copy.
   * @throws FrameError if there are fewer.
   */
  readBytes(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw new FrameError(`Expected ${length} bytes in the payload index.`);
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}
