import {
  encodingOfName,
  FORMATS,
  kindOfName,
  mediaTypeOf,
  type UploadEncoding,
  type UploadFormat,
} from '../../shared/contract/upload-kinds.ts';
import { UsageError } from '../process/errors.ts';

/** How an upload may be compressed already. */
export const ENCODINGS = ['gzip', 'br', 'zstd'] as const satisfies UploadEncoding[];
export type Encoding = (typeof ENCODINGS)[number];

/** What goes over the line. `compress`: it is not compressed yet, and is on the way. */
export interface UploadKind {
  format: UploadFormat;
  contentType: string;
  encoding: Encoding;
  compress: boolean;
}

/** What the user said of it, where the name does not. */
export interface KindOptions {
  format?: UploadFormat | undefined;
  encoding?: Encoding | undefined;
}

const CONVERTED: ReadonlyMap<string, 'excel' | 'parquet'> = new Map([
  ['xlsx', 'excel'],
  ['xlsm', 'excel'],
  ['parquet', 'parquet'],
]);

/** What a file is converted from on the way to a text format, by the end of its name; undefined: it is sent as it is. */
export const conversionOf = (file: string): 'excel' | 'parquet' | undefined =>
  CONVERTED.get(/\.(\w+)$/.exec(file.toLowerCase())?.[1] ?? '');

/** The kind of a file by its name, which options overrule. Throws UsageError for a name that does not say it. */
export function kindOfFile(file: string, { format, encoding }: KindOptions = {}): UploadKind {
  const known = format ?? kindOfName(file)?.format;
  if (known === undefined)
    throw new UsageError(`FILE: expected a name such as usage.ndjson or usage.csv.gz, got ${file}`, {
      hint: /\.xlsb?$/i.test(file)
        ? 'Save the workbook as .xlsx: older formats are not read.'
        : `--format says what it is: ${FORMATS.join(', ')}.`,
    });
  const named = encodingOfName(file);
  return kindOf(known, encoding ?? ENCODINGS.find((each) => each === named));
}

/** What a file is converted to. Throws UsageError for one that the options say is compressed. */
export function convertedKind(file: string, format: UploadFormat, encoding?: Encoding): UploadKind {
  if (encoding === undefined) return kindOf(format, undefined);
  throw new UsageError(`--encoding: ${file} is converted on the way, and cannot be compressed before`);
}

/** The kind of what has no name: NDJSON, not compressed, unless options say otherwise. */
export const kindOfStream = ({ format = 'ndjson', encoding }: KindOptions): UploadKind => kindOf(format, encoding);

const kindOf = (format: UploadFormat, encoding: Encoding | undefined): UploadKind => ({
  format,
  contentType: mediaTypeOf(format),
  encoding: encoding ?? 'zstd',
  compress: encoding === undefined,
});
