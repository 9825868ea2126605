/**
 * What is held back until more comes: of a record, or of a block. One growing buffer, not a list of pieces: a sender
 * of byte by byte would make that list a hundred times the size of the bytes.
 */
export class PendingBytes {
  #buffer = Buffer.alloc(0);
  #size = 0;

  /** Bytes held back. */
  get size(): number {
    return this.#size;
  }

  /** Holds back a copy of `bytes`. */
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

  /** All that was held back, followed by `last`; that itself, uncopied, when there is nothing before it. */
  take(last: Buffer = Buffer.alloc(0)): Buffer {
    if (this.#size === 0) return last;
    this.push(last);
    const all = this.#buffer.subarray(0, this.#size);
    this.#buffer = Buffer.alloc(0);
    this.#size = 0;
    return all;
  }
}
