/** Returns a buffer of `size` bytes that begins with the first `used` of `buffer`; the content of the rest is undefined. */
export function grown(buffer: Buffer, used: number, size: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(size);
  larger.set(buffer.subarray(0, used));
  return larger;
}

/**
 * Collects the bytes of an incomplete record or block. Uses one growing buffer instead of a list of pieces: if a sender
 * sends byte by byte, such a list would need a hundred times the size of the bytes.
 */
export class PendingBytes {
  #buffer = Buffer.alloc(0);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(bytes: Uint8Array): void {
    const size = this.#size + bytes.length;
    if (size > this.#buffer.length)
      this.#buffer = grown(this.#buffer, this.#size, Math.max(size, 2 * this.#buffer.length));
    this.#buffer.set(bytes, this.#size);
    this.#size = size;
  }

  /** Returns and removes all collected bytes, followed by `last`; if there are none, `last` without a copy. */
  take(last: Buffer = Buffer.alloc(0)): Buffer {
    if (this.#size === 0) return last;
    this.push(last);
    const all = this.#buffer.subarray(0, this.#size);
    this.#buffer = Buffer.alloc(0);
    this.#size = 0;
    return all;
  }
}
