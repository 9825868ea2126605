import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import * as library from 'hyparquet';
import { ConversionError } from './conversion-error.ts';
import { inPieces } from './lines.ts';
import { PARSERS, takeExactTypes, toJsonValue } from './parquet-values.ts';

const MAX_GROUP_BYTES = 1024 * 1024 * 1024;
/** Limits the rows of a group as well, because run-length encoding stores many rows in few bytes. */
const MAX_GROUP_CELLS = 100_000_000;

/**
 * Converts a Parquet file to NDJSON with the types of its columns (README.md), so that no schema is needed to distinguish
 * text from numbers. One row group is in memory. Throws ConversionError for data that cannot be read or represented as JSON.
 */
export async function* parquetToNdjson({ path, name }: { path: string; name: string }): AsyncGenerator<Buffer> {
  try {
    const file = await library.asyncBufferFromFile(path);
    yield* inPieces(lines(file));
  } catch (error: unknown) {
    if (error instanceof ConversionError) throw error;
    const message = `${name} cannot be read as a Parquet file: ${(error as Error).message}`;
    throw new ConversionError(message, { cause: error });
  }
}

async function* lines(file: library.AsyncBuffer): AsyncGenerator<string> {
  const metadata: library.FileMetaData = await library.parquetMetadataAsync(file, { geoparquet: false });
  const types = takeExactTypes(library.parquetSchema(metadata));
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    checkSize(group);
    const rowEnd = rowStart + Number(group.num_rows);
    const rows = await library.parquetReadObjects({
      ...{ file, metadata, rowStart, rowEnd, parsers: PARSERS, utf8: false },
      compressors: COMPRESSORS,
    });
    for (const [n, row] of rows.entries()) {
      const at = (path: string): string => `row ${rowStart + n + 1}, column ${path}`;
      yield `${JSON.stringify(toJsonValue(row, types, at))}\n`;
    }
    rowStart = rowEnd;
  }
}

function checkSize({ total_byte_size: bytes, num_rows: rows, columns }: library.RowGroup): void {
  if (bytes > MAX_GROUP_BYTES || Number(rows) * columns.length > MAX_GROUP_CELLS)
    throw new ConversionError(
      `A row group has ${rows} rows of ${columns.length} columns in ${bytes} bytes; expected at most ${MAX_GROUP_CELLS} values in ${MAX_GROUP_BYTES} bytes.`,
      { hint: 'Write the file again with smaller row groups.' },
    );
}

/** The decompressors of Node.js, and Snappy of the library. Neither has LZ4, which is rare. */
const COMPRESSORS: library.Compressors = {
  SNAPPY: (input, length) => {
    const output = new Uint8Array(checkPage(length));
    library.snappyUncompress(input, output);
    return output;
  },
  GZIP: (input, length) => gunzipSync(input, limit(length)),
  BROTLI: (input, length) => brotliDecompressSync(input, limit(length)),
  ZSTD: (input, length) => zstdDecompressSync(input, limit(length)),
};

const limit = (maxOutputLength: number) => ({ maxOutputLength: Math.max(1, checkPage(maxOutputLength)) });

function checkPage(bytes: number): number {
  if (bytes >= 0 && bytes <= MAX_GROUP_BYTES) return bytes;
  throw new Error(`a page has ${bytes} bytes decompressed, expected at most ${MAX_GROUP_BYTES}`);
}
