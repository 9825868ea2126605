import {
  encodingOfName,
  FORMATS,
  kindOfName,
  mediaTypeOf,
  type UploadEncoding,
  type UploadFormat,
} from '../../shared/contract/upload-kinds.ts';
import { UsageError } from '../process/errors.ts';

export const ENCODINGS = ['gzip', 'br', 'zstd'] as const satisfies UploadEncoding[];
export type Encoding = (typeof ENCODINGS)[number];

/** The format and compression of the request. With `compress`, the source is not compressed yet, and the command does it. */
export interface UploadKind {
  format: UploadFormat;
  contentType: string;
  encoding: Encoding;
  compress: boolean;
}

export interface KindOptions {
  format?: UploadFormat | undefined;
  encoding?: Encoding | undefined;
}

const CONVERTED: ReadonlyMap<string, 'excel' | 'parquet'> = new Map([
  ['xlsx', 'excel'],
  ['xlsm', 'excel'],
  ['parquet', 'parquet'],
]);

/** Returns the format that a file must be converted from, by its extension; undefined if it is sent unchanged. */
export const conversionOf = (file: string): 'excel' | 'parquet' | undefined =>
  CONVERTED.get(/\.(\w+)$/.exec(file.toLowerCase())?.[1] ?? '');

/** Returns the kind of a file from its name; options override it. Throws UsageError if neither determines the format. */
export function kindOfFile(file: string, { format, encoding }: KindOptions = {}): UploadKind {
  const known = format ?? kindOfName(file)?.format;
  if (known === undefined)
    throw new UsageError(`FILE: expected a name such as usage.ndjson or usage.csv.gz, got ${file}`, {
      hint: /\.xlsb?$/i.test(file)
        ? 'Save the workbook as .xlsx: older formats are not supported.'
        : `Give the format with --format: ${FORMATS.join(', ')}.`,
    });
  const named = encodingOfName(file);
  return kindOf(known, encoding ?? ENCODINGS.find((each) => each === named));
}

/** Returns the kind of a converted file. Throws UsageError if the options say that it is compressed. */
export function convertedKind(file: string, format: UploadFormat, encoding?: Encoding): UploadKind {
  if (encoding === undefined) return kindOf(format, undefined);
  throw new UsageError(`--encoding: ${file} is converted before it is sent, and must not be compressed`);
}

/** Returns the kind of a stream without a name: uncompressed NDJSON, unless options say otherwise. */
export const kindOfStream = ({ format = 'ndjson', encoding }: KindOptions): UploadKind => kindOf(format, encoding);

const kindOf = (format: UploadFormat, encoding: Encoding | undefined): UploadKind => ({
  format,
  contentType: mediaTypeOf(format),
  encoding: encoding ?? 'zstd',
  compress: encoding === undefined,
});
