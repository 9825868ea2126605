/** How uploads are written and compressed, and which names and media types say so: for the service and all of its clients. */

/** What an upload is written in. */
export const FORMATS = ['ndjson', 'json', 'csv'] as const;
export type UploadFormat = (typeof FORMATS)[number];

/** How an upload is compressed: the content codings of HTTP, by their names there. */
export const ENCODINGS = ['identity', 'gzip', 'deflate', 'br', 'zstd'] as const;
export type UploadEncoding = (typeof ENCODINGS)[number];

/** Characters that separate the cells of CSV, by their names. */
export const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const;
export type Delimiter = (typeof DELIMITERS)[keyof typeof DELIMITERS];

/** The name of a delimiter; another character stands for itself. */
export const delimiterName = (delimiter: string): string =>
  Object.entries(DELIMITERS).find(([, character]) => character === delimiter)?.[0] ?? delimiter;

/** A format, and of CSV the delimiter where the name or type says it. */
export interface NamedFormat {
  format: UploadFormat;
  delimiter?: '\t';
}

const TABS: NamedFormat = { format: 'csv', delimiter: '\t' };

/** Formats by media type; the first type of each format is the one that clients send. */
export const MEDIA_TYPES: ReadonlyMap<string, NamedFormat> = new Map([
  ['application/x-ndjson', { format: 'ndjson' }],
  ['application/ndjson', { format: 'ndjson' }],
  ['application/jsonl', { format: 'ndjson' }],
  ['application/json', { format: 'json' }],
  ['text/csv', { format: 'csv' }],
  ['text/tab-separated-values', TABS],
]);

const ENDINGS: ReadonlyMap<string, NamedFormat> = new Map([
  ['ndjson', { format: 'ndjson' }],
  ['jsonl', { format: 'ndjson' }],
  ['json', { format: 'json' }],
  ['csv', { format: 'csv' }],
  ['tsv', TABS],
  ['tab', TABS],
]);
const SUFFIXES: ReadonlyMap<string, UploadEncoding> = new Map([
  ['gz', 'gzip'],
  ['br', 'br'],
  ['zst', 'zstd'],
]);

/** What a name must end in, in words. */
export const NAME_RULE =
  '.ndjson, .jsonl, .json, .csv, .tsv or .tab, with .gz, .br or .zst behind it if the file is compressed';

/** What a file is by its name, such as `orders.ndjson.gz`; undefined when the name does not say it. */
export function kindOfName(name: string): (NamedFormat & { encoding: UploadEncoding }) | undefined {
  const [, ending = '', suffix = ''] = /\.(\w+?)(?:\.(gz|br|zst))?$/.exec(name.toLowerCase()) ?? [];
  const named = ENDINGS.get(ending);
  return named && { ...named, encoding: SUFFIXES.get(suffix) ?? 'identity' };
}

/** The name without the endings that say its kind; as it is when they do not. */
export const stemOfName = (name: string): string =>
  kindOfName(name) === undefined ? name : name.replace(/\.\w+?(\.(gz|br|zst))?$/i, '');

/** How a file is compressed by the end of its name; `identity` when that does not say it. */
export const encodingOfName = (name: string): UploadEncoding =>
  SUFFIXES.get(name.toLowerCase().split('.').at(-1) ?? '') ?? 'identity';

/** The end of the name of a file: `.ndjson.zst`. An encoding that only HTTP knows adds nothing. */
export function endingOf(format: UploadFormat, encoding: UploadEncoding): string {
  const suffix = [...SUFFIXES].find(([, name]) => name === encoding)?.[0];
  return suffix === undefined ? `.${format}` : `.${format}.${suffix}`;
}

/** The media type that a format is sent as. */
export function mediaTypeOf(format: UploadFormat): string {
  for (const [type, named] of MEDIA_TYPES) if (named.format === format) return type;
  throw new Error(`No media type of ${format}`);
}

/** Longest name of an uploaded file, in characters. */
export const MAX_FILE_NAME = 255;

/** Name of a file without the folders before it, by either kind of slash. */
export const baseNameOf = (path: string): string =>
  path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);

/** The name of the file that an address ends in; empty when it ends in a slash. */
export function fileNameOfUrl(url: string): string {
  const segment = new URL(url).pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** A file's name as headers and metadata carry it: percent-encoded, cut to `MAX_FILE_NAME`, without control characters. */
export const fileNameText = (name: string): string =>
  encodeURIComponent([...name.replaceAll(/\p{Cc}/gu, '').toWellFormed()].slice(-MAX_FILE_NAME).join(''));
