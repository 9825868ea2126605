import { createHash } from 'node:crypto';
import { Problem } from '../errors.ts';
import type { JsonSchema } from '../workload/item-schema.ts';
import { type ChunkLimits, chunkRecords, type RawChunk } from './chunk-records.ts';
import { type UploadLimits, uploadTooLarge } from './limits.ts';
import type { CsvOptions, CsvReading } from './parse/csv-options.ts';
import { decodeUpload } from './parse/decode-upload.ts';
import type { UploadEncoding, UploadFormat } from './parse/formats.ts';
import { parseCsv } from './parse/parse-csv.ts';
import { parseJsonArray } from './parse/parse-json-array.ts';
import { parseNdjson } from './parse/parse-ndjson.ts';
import type { RecordBlock } from './parse/record-block.ts';

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
}

/** An upload being read: nothing happens before `chunks` is iterated, and it can be iterated once. */
export interface ReadUpload {
  chunks: AsyncIterable<RawChunk>;
  /**
   * `sha256:<hex>` of the decoded upload, the same for any encoding of it.
   * @throws Error before the end of `chunks`.
   */
  digest(): string;
  /** What a CSV upload is read as; undefined for other formats, and until its header has been read. */
  csv(): CsvReading | undefined;
}

/**
 * From the bytes of an upload to its chunks, in bounded memory and with backpressure. `chunks` throws Problem for
 * whatever is wrong with the upload ('malformed-encoding', 'malformed-record', 'too-large', 'empty-batch'); an error of
 * `body` itself comes out unchanged.
 */
export function readUpload({ body, format, encoding, limits, chunk }: UploadSource): ReadUpload {
  const hashed = withDigest(decodeUpload(body, { encoding, limits }));
  const records = PARSERS[format](withoutByteOrderMark(hashed.pieces), limits);
  return { chunks: chunkRecords(counted(records, limits), chunk), digest: hashed.digest, csv: () => undefined };
}

type Parser = (source: AsyncIterable<Buffer>, limits: UploadLimits) => AsyncIterable<RecordBlock>;
const PARSERS: Record<UploadFormat, Parser> = { ndjson: parseNdjson, json: parseJsonArray, csv: parseCsv };

function withDigest(source: AsyncIterable<Buffer>): { pieces: AsyncIterable<Buffer>; digest: () => string } {
  const hash = createHash('sha256');
  let hex: string | undefined;
  return {
    pieces: run(),
    digest() {
      if (hex === undefined) throw new Error('The digest of an upload is known only after its end.');
      return `sha256:${hex}`;
    },
  };
  async function* run(): AsyncGenerator<Buffer> {
    for await (const piece of source) {
      hash.update(piece);
      yield piece;
    }
    hex = hash.digest('hex');
  }
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Editors and spreadsheets put one before UTF-8; it is no part of the text. */
async function* withoutByteOrderMark(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const piece of source) {
    if (head === undefined) yield piece;
    else {
      head = Buffer.concat([head, piece]);
      if (head.length < BYTE_ORDER_MARK.length) continue;
      const marked: boolean = head.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
      yield marked ? head.subarray(BYTE_ORDER_MARK.length) : head;
      head = undefined;
    }
  }
  if (head !== undefined && head.length > 0) yield head;
}

/**
 * Enforces what all formats have in common. The bytes of the records are limited too, for they can be many times those
 * of the upload: each row of a CSV file repeats the names of its columns.
 */
async function* counted(blocks: AsyncIterable<RecordBlock>, limits: UploadLimits): AsyncGenerator<RecordBlock> {
  let items = 0;
  let bytes = 0;
  for await (const block of blocks) {
    items += block.ends.length;
    bytes += block.bytes.length - block.ends.length;
    if (items > limits.maxItems) throw uploadTooLarge(`The upload has over ${limits.maxItems} records.`);
    if (bytes > limits.maxDecodedBytes)
      throw uploadTooLarge(`The records take over ${limits.maxDecodedBytes} bytes as JSON.`);
    yield block;
  }
  if (items === 0) throw new Problem('empty-batch', 'The upload holds no record.');
}
