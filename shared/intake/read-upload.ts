import type { UploadEncoding, UploadFormat } from '../contract/upload-kinds.ts';
import { Problem } from '../errors.ts';
import type { JsonSchema } from '../workload/item-schema.ts';
import { type Checkpoint, type ChunkLimits, chunkRecords, type RawChunk, recordBytesOf } from './chunk-records.ts';
import { type UploadLimits, uploadTooLarge } from './limits.ts';
import { CHARSETS, type CsvOptions, type CsvReading } from './parse/csv/csv-options.ts';
import { type CsvSource, parseCsv } from './parse/csv/parse-csv.ts';
import { type DecodedText, decodeText } from './parse/decode-text.ts';
import { decodeUpload } from './parse/decode-upload.ts';
import { parseJsonArray } from './parse/parse-json-array.ts';
import { parseNdjson } from './parse/parse-ndjson.ts';
import type { RecordBlock } from './parse/record-block.ts';
import { segmentStart, UploadDigest } from './upload-digest.ts';

/** An upload as it arrives, and how to read it. `chunk` is the workload's. */
export interface UploadSource {
  body: AsyncIterable<Uint8Array>;
  format: UploadFormat;
  encoding: UploadEncoding;
  limits: UploadLimits;
  chunk: ChunkLimits;
  /** How a CSV upload is written, as far as the client says; default: found from its head. */
  csv?: CsvOptions | undefined;
  /** JSON Schema of an item: the cells of a CSV upload are converted to its types; without one they are text. */
  schema?: JsonSchema | undefined;
  /** Where an earlier reading ended; then `body` begins at `bodyStart(encoding, resume)`. */
  resume?: UploadResume | undefined;
}

/** How far an upload has been read, and all that is needed to read on; plain JSON. */
export interface UploadResume extends Checkpoint {
  /** Of CSV. */
  csv?: CsvReading | undefined;
  /** SHA-256 in hex of each segment before the one that `at` is in. */
  segments: readonly string[];
}

/**
 * The byte at which the body of a resumed upload begins: a segment of the digest. Of a compressed body it is the first one,
 * for the codings have no place to begin at but the start.
 */
export const bodyStart = (encoding: UploadEncoding, { at }: UploadResume): number =>
  encoding === 'identity' ? segmentStart(at.offset) : 0;

/** An upload being read: nothing happens before `chunks` is iterated, and it can be iterated once. */
export interface ReadUpload {
  chunks: AsyncIterable<RawChunk>;
  /**
   * `sha256:<hex>` of the decoded upload, the same for any encoding of it, as UploadDigest makes it.
   * @throws Error before the end of `chunks`.
   */
  digest(): string;
  /** What a CSV upload is read as; undefined for other formats, and until its header has been read. */
  csv(): CsvReading | undefined;
  /** What to read on with behind a chunk that `chunks` has given. */
  resumeBehind(chunk: Pick<RawChunk, 'end'>): UploadResume;
}

/**
 * From the bytes of an upload to its chunks, in bounded memory and with backpressure. `chunks` throws Problem for
 * whatever is wrong with the upload ('malformed-encoding', 'malformed-record', 'too-large', 'empty-batch'); an error of
 * `body` itself comes out unchanged.
 */
export function readUpload(source: UploadSource): ReadUpload {
  const { body, format, encoding, limits, chunk, resume } = source;
  const start = resume ? bodyStart(encoding, resume) : 0;
  const digest = new UploadDigest(start === 0 ? [] : resume?.segments);
  const decoded = decodeUpload(body, { encoding, limits, start });
  const pieces = hashed(decoded, digest);
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
    const text = resume
      ? decodeText(behind(pieces, resume.at.offset - start), { charset: resume.csv?.charset, marks: [], at: resume.at })
      : decodeText(pieces, format === 'csv' ? { charset: source.csv?.charset, marks: CHARSETS } : {});
    const records = PARSERS[format](text.pieces, {
      ...source,
      charset: () => text.charset,
      onReading: (reading) => {
        csv = reading;
      },
    });
    yield* chunkRecords(counted(shifted(records, text), limits, resume), chunk, resume);
    hex = digest.end(format === 'csv' ? source.csv : {});
  }
}

interface ParserSource extends CsvSource {
  limits: UploadLimits;
}

type Parser = (pieces: AsyncIterable<Buffer>, source: ParserSource) => AsyncIterable<RecordBlock>;
const PARSERS: Record<UploadFormat, Parser> = {
  ndjson: (pieces, { limits, resume }) => parseNdjson(pieces, limits, resume),
  json: (pieces, { limits, resume }) => parseJsonArray(pieces, limits, resume),
  csv: (pieces, { limits, ...source }) => parseCsv(pieces, limits, source),
};

async function* hashed(source: AsyncIterable<Buffer>, digest: UploadDigest): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    digest.push(piece);
    yield piece;
  }
}

/** What comes behind the first `bytes` of `source`. */
async function* behind(source: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const piece of source) {
    if (left < piece.length) yield piece.subarray(left);
    left = Math.max(0, left - piece.length);
  }
}

/** Parsers do not see the mark: its bytes are before every block. */
async function* shifted(blocks: AsyncIterable<RecordBlock>, text: DecodedText): AsyncGenerator<RecordBlock> {
  for await (const block of blocks) {
    const { from } = block;
    yield { ...block, from: { ...from, offset: from.offset + text.markBytes } };
  }
}

/**
 * Enforces what all formats have in common. The bytes of the records are limited too, for they can be many times those
 * of the upload: each row of a CSV file repeats the names of its columns.
 */
async function* counted(
  blocks: AsyncIterable<RecordBlock>,
  limits: UploadLimits,
  resume?: UploadResume,
): AsyncGenerator<RecordBlock> {
  let { items, recordBytes: bytes } = resume ?? { items: 0, recordBytes: 0 };
  for await (const block of blocks) {
    items += block.ends.length;
    bytes += recordBytesOf(block);
    if (items > limits.maxItems) throw uploadTooLarge(`The upload has over ${limits.maxItems} records.`);
    if (bytes > limits.maxDecodedBytes)
      throw uploadTooLarge(`The records take over ${limits.maxDecodedBytes} bytes as JSON.`);
    yield block;
  }
  if (items === 0) throw new Problem('empty-batch', 'The upload contains no record.');
}
