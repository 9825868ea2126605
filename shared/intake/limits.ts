import { Problem } from '../errors.ts';

/** Limits of one upload. Each is enforced before the memory for what lies beyond it is spent. */
export interface UploadLimits {
  /** Bytes of the body as received, compressed or not. */
  maxBodyBytes: number;
  /** Bytes of the body after decoding; also the limit of all records together as they are stored. */
  maxDecodedBytes: number;
  /** Bytes of one record as uploaded, without its line ending or separator. */
  maxRecordBytes: number;
  /** Records of one upload. */
  maxItems: number;
}

/** Creates the problem of an upload that exceeds the limit of `setting`, which the inbox enforces as well. */
export const uploadTooLarge = (what: string, setting: string): Problem =>
  new Problem('too-large', `${what} Split it into several batches, or raise ${setting}.`);

/** Creates the problem of a body that is too large for HTTP. It has its own type, because the inbox accepts larger files. */
export const bodyTooLarge = (maxBytes: number): Problem =>
  new Problem(
    'body-too-large',
    `The body is over ${maxBytes} bytes. Put larger files into the inbox container, or send several smaller batches.`,
  );

const MiB = 1024 * 1024;

/**
 * Most bytes without a record: of blank lines, or of whitespace between the elements of an array. Nobody writes that
 * much, and it compresses to nothing: a body of 200 bytes can hold gigabytes of line feeds.
 */
export const MAX_BLANK_BYTES = MiB;

/** Counts the bytes since the last record. */
export class BlankBytes {
  #run = 0;

  /** @throws Problem 'too-large' when `bytes` more are too many; `line` is where they begin. */
  skip(bytes: number, line: number): void {
    this.#run += bytes;
    if (this.#run <= MAX_BLANK_BYTES) return;
    const message = `Over ${MAX_BLANK_BYTES} bytes without a record.`;
    throw new Problem('too-large', `Line ${line}: ${message}`, { errors: [{ line, column: 1, message }] });
  }

  /** A record: the count begins anew. */
  end(): void {
    this.#run = 0;
  }
}

/**
 * Most decoded bytes per received byte. Records compress 10 to 30 times, generated test data some 200 times; gzip cannot
 * pass 1,032, so it is never refused by this. Brotli and zstd reach a million for what says nothing.
 */
export const MAX_DECODED_RATIO = 1_100;
/** The ratio is looked at beyond this many decoded bytes: small uploads may be as repetitive as they like. */
export const RATIO_FREE_BYTES = 64 * MiB;
