/**
 * The formats and compressions of uploads, and their file names and media types. Used by the service and all of its clients.
 */

export const FORMATS = ['ndjson', 'json', 'csv'] as const;
export type UploadFormat = (typeof FORMATS)[number];

/** The compressions of uploads: content codings of HTTP, with their names there. */
export const ENCODINGS = ['identity', 'gzip', 'deflate', 'br', 'zstd'] as const;
export type UploadEncoding = (typeof ENCODINGS)[number];

/** The cell separators of CSV by name. */
export const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const;
export type Delimiter = (typeof DELIMITERS)[keyof typeof DELIMITERS];

/** Returns the name of a delimiter; a character without a name is returned as it is. */
export const delimiterName = (delimiter: string): string =>
  Object.entries(DELIMITERS).find(([, character]) => character === delimiter)?.[0] ?? delimiter;

/** A format and, for CSV, the delimiter if the file name or media type determines it. */
export interface NamedFormat {
  format: UploadFormat;
  delimiter?: '\t';
}

const TABS: NamedFormat = { format: 'csv', delimiter: '\t' };

/** Formats by media type. Clients send the first type of each format. */
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

/** The suffixes that a file name must have, as text for messages. */
export const NAME_RULE =
  '.ndjson, .jsonl, .json, .csv, .tsv or .tab, followed by .gz, .br or .zst if the file is compressed';

/**
 * Returns the format and compression of a file by its name, such as `orders.ndjson.gz`; undefined if the name does not
 * determine them.
 */
export function kindOfName(name: string): (NamedFormat & { encoding: UploadEncoding }) | undefined {
  const [, ending = '', suffix = ''] = /\.(\w+?)(?:\.(gz|br|zst))?$/.exec(name.toLowerCase()) ?? [];
  const named = ENDINGS.get(ending);
  return named && { ...named, encoding: SUFFIXES.get(suffix) ?? 'identity' };
}

/** Returns the name without the suffixes that denote format and compression. Other names are returned unchanged. */
export const stemOfName = (name: string): string =>
  kindOfName(name) === undefined ? name : name.replace(/\.\w+?(\.(gz|br|zst))?$/i, '');

/** Returns the compression of a file by the ending of its name; `identity` if the ending is unknown. */
export const encodingOfName = (name: string): UploadEncoding =>
  SUFFIXES.get(name.toLowerCase().split('.').at(-1) ?? '') ?? 'identity';

/** Returns the ending of a file name, such as `.ndjson.zst`. An encoding that only HTTP uses adds none. */
export function suffixOf(format: UploadFormat, encoding: UploadEncoding): string {
  const suffix = [...SUFFIXES].find(([, name]) => name === encoding)?.[0];
  return suffix === undefined ? `.${format}` : `.${format}.${suffix}`;
}

/** Returns the media type with which clients send a format. */
export function mediaTypeOf(format: UploadFormat): string {
  for (const [type, named] of MEDIA_TYPES) if (named.format === format) return type;
  throw new Error(`Expected a format with a media type, got ${format}.`);
}

/** Maximum length of the name of an uploaded file, in characters. */
export const MAX_FILE_NAME = 255;

/** Returns the file name without the folders before it. Both kinds of slash separate folders. */
export const baseNameOf = (path: string): string =>
  path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);

/** Returns the last path segment of a URL, decoded; empty if the URL ends in a slash. */
export function fileNameOfUrl(url: string): string {
  const segment = new URL(url).pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Encodes a file name for headers and metadata: percent-encoded, cut to `MAX_FILE_NAME`, without control characters. */
export const fileNameText = (name: string): string =>
  encodeURIComponent([...name.replaceAll(/\p{Cc}/gu, '').toWellFormed()].slice(-MAX_FILE_NAME).join(''));
