import { UsageError } from '../errors.ts';

/** What an upload is written in. */
export const FORMATS = ['ndjson', 'json', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

/** How an upload may lie compressed already. */
export const ENCODINGS = ['gzip', 'br', 'zstd'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** What goes over the line. `compress`: it is not compressed yet, and is on the way. */
export interface UploadKind {
  format: Format;
  contentType: string;
  encoding: Encoding;
  compress: boolean;
}

/** What the user said of it, where the name does not. */
export interface KindOptions {
  format?: Format | undefined;
  encoding?: Encoding | undefined;
}

const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  ndjson: 'application/x-ndjson',
  json: 'application/json',
  csv: 'text/csv',
};
const NAMES: ReadonlyMap<string, Format> = new Map([
  ['ndjson', 'ndjson'],
  ['jsonl', 'ndjson'],
  ['json', 'json'],
  ['csv', 'csv'],
  ['tsv', 'csv'],
  ['tab', 'csv'],
]);

/** Files that are converted to a text format on the way, by the ends of their names. */
export const CONVERTED: ReadonlyMap<string, 'excel' | 'parquet'> = new Map([
  ['xlsx', 'excel'],
  ['xlsm', 'excel'],
  ['parquet', 'parquet'],
]);
const SUFFIXES: ReadonlyMap<string, Encoding> = new Map([
  ['gz', 'gzip'],
  ['br', 'br'],
  ['zst', 'zstd'],
]);

/** The kind of a file by its name, which options overrule. Throws UsageError for a name that does not tell. */
export function kindOfFile(file: string, { format, encoding }: KindOptions = {}): UploadKind {
  const [, name = '', suffix = ''] = /\.(\w+?)(?:\.(gz|br|zst))?$/.exec(file.toLowerCase()) ?? [];
  const known = format ?? NAMES.get(name);
  if (known === undefined)
    throw new UsageError(`FILE: expected a name such as usage.ndjson or usage.csv.gz, got ${file}`, {
      hint: /\.xlsb?$/i.test(file)
        ? 'Save the workbook as .xlsx: older formats are not read.'
        : `--format says what it is: ${FORMATS.join(', ')}.`,
    });
  return kindOf(known, encoding ?? SUFFIXES.get(suffix));
}

/** What a file is converted to. Throws UsageError for one that the options say is compressed. */
export function convertedKind(file: string, format: Format, encoding?: Encoding): UploadKind {
  if (encoding === undefined) return kindOf(format, undefined);
  throw new UsageError(`--encoding: ${file} is converted on the way, and cannot be compressed before`);
}

/** The kind of what has no name: NDJSON, not compressed, unless options say otherwise. */
export const kindOfStream = ({ format = 'ndjson', encoding }: KindOptions): UploadKind => kindOf(format, encoding);

function kindOf(format: Format, encoding: Encoding | undefined): UploadKind {
  return {
    format,
    contentType: MEDIA_TYPES[format],
    encoding: encoding ?? 'zstd',
    compress: encoding === undefined,
  };
}

/** How the name of a file of this kind has to end, for the inbox: `.ndjson.zst`. */
export function suffixOf({ format, encoding }: UploadKind): string {
  const suffix = [...SUFFIXES].find(([, name]) => name === encoding)?.[0];
  return `.${format}.${suffix}`;
}
