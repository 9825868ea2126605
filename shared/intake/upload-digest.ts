/** The digest of an upload. It can be continued after a crash, unlike a hash of node:crypto. */
import { createHash, type Hash } from 'node:crypto';
import type { UploadFormat } from '../contract/upload-kinds.ts';
import { type CsvOptions, csvOptionsParams } from './parse/csv-options.ts';

/** Size in bytes of a segment: the decoded bytes of an upload that are hashed together. */
export const SEGMENT_BYTES = 8 * 1024 * 1024;

/** Returns the start of the segment that contains `offset`; both in decoded bytes. */
export const segmentStart = (offset: number): number => offset - (offset % SEGMENT_BYTES);

/**
 * Hashes what is pushed: SHA-256 of an upload of at most 8 MiB, otherwise SHA-256 of the concatenated SHA-256 values of its
 * segments of 8 MiB. The result does not depend on how the bytes are divided into pieces.
 */
export class UploadDigest {
  readonly #segments: Buffer[];
  #hash: Hash = createHash('sha256');
  #hashed = 0;

  /** `segments`: hashes in hex of the segments before the first pushed byte. */
  constructor(segments: readonly string[] = []) {
    this.#segments = segments.map((hex) => Buffer.from(hex, 'hex'));
  }

  push(piece: Uint8Array): void {
    for (let start = 0; start < piece.length; ) {
      if (this.#hashed === SEGMENT_BYTES) this.#endSegment();
      const end = Math.min(piece.length, start + SEGMENT_BYTES - this.#hashed);
      this.#hash.update(piece.subarray(start, end));
      this.#hashed += end - start;
      start = end;
    }
  }

  /** Returns the hashes in hex of the segments that end at or before `offset`. */
  segmentsBefore(offset: number): string[] {
    if (this.#hashed === SEGMENT_BYTES) this.#endSegment();
    return this.#segments.slice(0, Math.floor(offset / SEGMENT_BYTES)).map((hash) => hash.toString('hex'));
  }

  /**
   * Returns `sha256:<hex>` of everything that was pushed. Call it once, at the end. The format, unless it is NDJSON, and the
   * options of CSV are part of the hash, because they change what the content means.
   */
  end(format: UploadFormat = 'ndjson', csv: CsvOptions = {}): string {
    if (this.#hashed > 0 || this.#segments.length === 0) this.#endSegment();
    const [first, ...others] = this.#segments;
    const content = first && others.length === 0 ? first : sha256(Buffer.concat(this.#segments));
    const options = format === 'csv' ? [...csvOptionsParams(csv)].map((param) => JSON.stringify(param)).sort() : [];
    const meaning = [format, ...options].join();
    const hash = format === 'ndjson' ? content : sha256(Buffer.concat([content, Buffer.from(meaning)]));
    return `sha256:${hash.toString('hex')}`;
  }

  #endSegment(): void {
    this.#segments.push(this.#hash.digest());
    this.#hash = createHash('sha256');
    this.#hashed = 0;
  }
}

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
