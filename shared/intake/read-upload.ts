import type { UploadEncoding, UploadFormat } from '../contract/upload-kinds.ts';
import { Problem } from '../errors.ts';
import { Turns } from '../turns.ts';
import type { JsonSchema } from '../workload/item-schema.ts';
import { type Checkpoint, type ChunkLimits, chunkRecords, type RawChunk, recordBytesOf } from './chunk-records.ts';
import { requirePerByte, type UploadLimits, uploadTooLarge } from './limits.ts';
import { parseCsv } from './parse/csv/parse-csv.ts';
import { CHARSETS, type CsvOptions, type CsvReading } from './parse/csv-options.ts';
import { type DecodedText, decodeText } from './parse/decode-text.ts';
import { decodeUpload } from './parse/decode-upload.ts';
import { parseJsonArray } from './parse/parse-json-array.ts';
import { parseNdjson } from './parse/parse-ndjson.ts';
import { PendingBytes } from './parse/pending-bytes.ts';
import type { RecordBlock } from './parse/record-block.ts';
import { segmentStart, UploadDigest } from './upload-digest.ts';

/** An upload in transit, and how to read it. `chunk` contains the limits of the workload. */
export interface UploadSource {
  body: AsyncIterable<Uint8Array>;
  format: UploadFormat;
  encoding: UploadEncoding;
  limits: UploadLimits;
  chunk: ChunkLimits;
  /** CSV options given by the client. What is absent is detected from the beginning of the upload. */
  csv?: CsvOptions | undefined;
  /** JSON Schema of an item. Cells of a CSV upload are converted to its types; without a schema they are text. */
  schema?: JsonSchema | undefined;
  /** Where an earlier reading ended. If present, `body` begins at `bodyStart(encoding, resume)`. */
  resume?: UploadResume | undefined;
}

/** How far an upload has been read, with everything that is needed to resume; plain JSON. */
export interface UploadResume extends Checkpoint {
  /** For CSV only. */
  csv?: CsvReading | undefined;
  /** SHA-256 in hex of each segment before the segment that contains `at`. */
  segments: readonly string[];
}

/**
 * Returns the byte at which the body of a resumed upload begins: the start of a segment of the digest. For a compressed
 * body this is 0, because it can only be decoded from its start.
 */
export const bodyStart = (encoding: UploadEncoding, { at }: UploadResume): number =>
  encoding === 'identity' ? segmentStart(at.offset) : 0;

/** An upload that is being read. Nothing happens before `chunks` is iterated; it can be iterated once. */
export interface ReadUpload {
  chunks: AsyncIterable<RawChunk>;
  /**
   * `sha256:<hex>` of the decoded upload, independent of its encoding; see UploadDigest.
   * @throws Error before the end of `chunks`.
   */
  digest(): string;
  /** How a CSV upload is read; undefined for other formats, and until the header has been read. */
  csv(): CsvReading | undefined;
  /** Returns what is needed to resume after a chunk of `chunks`. */
  resumeBehind(chunk: Pick<RawChunk, 'end'>): UploadResume;
}

/**
 * Converts the bytes of an upload to chunks, in bounded memory and with backpressure. `chunks` throws a Problem for an
 * invalid upload ('malformed-encoding', 'malformed-record', 'too-large', 'empty-batch'). An error of `body` itself is
 * rethrown unchanged.
 */
export function readUpload(source: UploadSource): ReadUpload {
  const { body, format, encoding, limits, chunk, resume } = source;
  const start = resume ? bodyStart(encoding, resume) : 0;
  const digest = new UploadDigest(start === 0 ? [] : resume?.segments);
  /** What was received of the body so far, including what an earlier reading received. */
  const received = { bytes: start };
  const decoded = decodeUpload(joined(body), { encoding, limits, received });
  const pieces = hashed(decoded, digest, resume ? resume.at.offset - start : 0);
  let hex: string | undefined;
  let csv: CsvReading | undefined;
  return {
    chunks: chunks(),
    digest() {
      if (hex === undefined) throw new Error('The digest of an upload is known only after its end.');
      return hex;
    },
    csv: () => csv,
    resumeBehind: ({ end }) => ({ ...end, csv, segments: digest.segmentsBefore(end.at.offset) }),
  };
  async function* chunks(): AsyncGenerator<RawChunk> {
    const detected = format === 'csv' ? { charset: source.csv?.charset, marks: CHARSETS } : {};
    const text = decodeText(pieces, resume ? { charset: resume.csv?.charset, marks: [], at: resume.at } : detected);
    let count = 0; // The chunks of an earlier reading, which this one resumes, are not counted again.
    for await (const next of chunkRecords(limited(parsed(text), text), chunk, resume)) {
      count += 1;
      requirePerByte(count, received.bytes, 'chunks');
      yield next;
    }
    hex = digest.end(format, source.csv);
  }
  function parsed(text: DecodedText): AsyncIterable<RecordBlock> {
    if (format === 'ndjson') return parseNdjson(text.pieces, limits, resume);
    if (format === 'json') return parseJsonArray(text.pieces, limits, resume);
    const onReading = (reading: CsvReading): void => {
      csv = reading;
    };
    return parseCsv(text.pieces, limits, { ...source, charset: () => text.charset, onReading });
  }
  /**
   * Enforces the limits that all formats have in common, and lets other work of the process run between blocks. The bytes
   * of the records are limited too, because they can be many times those of the upload: each row of a CSV file repeats the
   * names of its columns. Adds the bytes of the byte order mark, which parsers do not see, to the offset of every block.
   */
  async function* limited(blocks: AsyncIterable<RecordBlock>, text: DecodedText): AsyncGenerator<RecordBlock> {
    let { items, recordBytes: bytes } = resume ?? { items: 0, recordBytes: 0 };
    const turns = new Turns();
    for await (const block of blocks) {
      items += block.ends.length;
      bytes += recordBytesOf(block);
      if (items > limits.maxItems)
        throw uploadTooLarge(`The upload has over ${limits.maxItems} records.`, 'SLUICE_MAX_ITEMS');
      if (bytes > limits.maxDecodedBytes)
        throw uploadTooLarge(
          `The records have over ${limits.maxDecodedBytes} bytes as JSON.`,
          'SLUICE_MAX_DECODED_BYTES',
        );
      requirePerByte(bytes, received.bytes, 'bytes of records as JSON');
      requirePerByte(items, received.bytes, 'records');
      await turns.next();
      yield { ...block, from: { ...block.from, offset: block.from.offset + text.markBytes } };
    }
    if (items === 0) throw new Problem('empty-batch', 'The upload contains no record.');
  }
}

/** Hashes all pieces, and skips the first `bytes`, which an earlier reading has parsed. */
async function* hashed(source: AsyncIterable<Buffer>, digest: UploadDigest, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const piece of source) {
    digest.push(piece);
    if (left < piece.length) yield piece.subarray(left);
    left = Math.max(0, left - piece.length);
  }
}

/** Smaller pieces are joined before they are read: each piece costs 7 µs, which is 7 s for a megabyte byte by byte. */
const MIN_PIECE_BYTES = 4 * 1024;

async function* joined(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const small = new PendingBytes();
  try {
    for await (const piece of body) {
      if (small.size === 0 && piece.length >= MIN_PIECE_BYTES) yield piece;
      else small.push(piece);
      if (small.size >= MIN_PIECE_BYTES) yield small.take();
    }
  } catch (error) {
    if (small.size > 0) yield small.take();
    throw error;
  }
  if (small.size > 0) yield small.take();
}
