import { Problem } from '../errors.ts';

/** Limits of one upload. Each limit is enforced before memory is allocated for data beyond it. */
export interface UploadLimits {
  /** Bytes of the body as received, compressed or not. */
  maxBodyBytes: number;
  /** Bytes of the body after decoding; also limits the total size of all records as stored. */
  maxDecodedBytes: number;
  /** Bytes of one record as uploaded, without its line ending or separator. */
  maxRecordBytes: number;
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

/** Creates the problem of a record or a run of blanks that is too large, with the position where it begins. */
export const tooLarge = ({ line, column }: { line: number; column: number }, message: string): Problem =>
  new Problem('too-large', `Line ${line}: ${message}`, { errors: [{ line, column, message }] });

const MiB = 1024 * 1024;

/** Maximum number of bytes in a row without a record: a body of 200 bytes can hold gigabytes of line feeds. */
export const MAX_BLANK_BYTES = MiB;

export class BlankBytes {
  #run = 0;

  /**
   * Adds `bytes` that start at `line`.
   * @throws Problem 'too-large' if the total exceeds MAX_BLANK_BYTES.
   */
  skip(bytes: number, line: number): void {
    this.#run += bytes;
    if (this.#run <= MAX_BLANK_BYTES) return;
    throw tooLarge({ line, column: 1 }, `Over ${MAX_BLANK_BYTES} bytes without a record.`);
  }

  end(): void {
    this.#run = 0;
  }
}

/**
 * Maximum ratio of decoded to received bytes, and of records as JSON to received bytes. Records compress 10 to 30 times,
 * generated test data about 200 times. Gzip cannot exceed 1,032, so this limit never refuses it. Brotli and zstd reach a
 * million for data without information. CSV without compression cannot exceed it, because the length of a name is limited.
 */
const BYTES = { free: 64 * MiB, perByte: 1_100 };
const UNCOMPRESSED = 'send it without compression';

/**
 * What a body may become: as many of each kind as any body may (`free`), or as many per received byte. Distinct records need at
 * least 0.2 bytes each with the best compression (measured with sequence numbers and random bits). A chunk has at least one
 * item, and one bit distinguishes it at least; it costs rows, blobs and messages.
 */
const PER_BYTE = {
  'decoded bytes': { ...BYTES, advice: 'compress it with gzip' },
  'bytes of records as JSON': { ...BYTES, advice: UNCOMPRESSED },
  records: { free: 100_000, perByte: 32, advice: UNCOMPRESSED },
  chunks: { free: 1_000, perByte: 8, advice: UNCOMPRESSED },
} as const;

/**
 * Refuses a body that makes more work than its size can justify, long before it exceeds a size limit: without this limit, 460
 * bytes became 33 million items.
 * @throws Problem 'too-large' if the first `received` bytes of the body have become more `kind` than PER_BYTE allows.
 */
export function requirePerByte(made: number, received: number, kind: keyof typeof PER_BYTE): void {
  const { free, perByte, advice } = PER_BYTE[kind];
  if (made <= free || made <= received * perByte) return;
  throw new Problem(
    'too-large',
    `The first ${received} bytes of the body become over ${free} ${kind}, and over ${perByte} per byte. If this is intended, ${advice}.`,
  );
}
