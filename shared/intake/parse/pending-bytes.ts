/**
 * Collects the bytes of an incomplete record or block. Uses one growing buffer instead of a list of pieces: if a sender
 * sends byte by byte, such a list would need a hundred times the size of the bytes.
 */
export class PendingBytes {
  #buffer = Buffer.alloc(0);
  #size = 0;

  /** Number of collected bytes. */
  get size(): number {
    return this.#size;
  }

  /** Adds a copy of `bytes`. */
  push(bytes: Uint8Array): void {
    const size = this.#size + bytes.length;
    if (size > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(size, 2 * this.#buffer.length));
      larger.set(this.#buffer.subarray(0, this.#size));
      this.#buffer = larger;
    }
    this.#buffer.set(bytes, this.#size);
    this.#size = size;
  }

  /**
   * Returns and removes all collected bytes, followed by `last`. If there are none, returns `last` itself without a copy.
   */
  take(last: Buffer = Buffer.alloc(0)): Buffer {
    if (this.#size === 0) return last;
    this.push(last);
    const all = this.#buffer.subarray(0, this.#size);
    this.#buffer = Buffer.alloc(0);
    this.#size = 0;
    return all;
  }
}
