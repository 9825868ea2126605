/** Options beside the content: in headers and query of a request, or in the metadata of an inbox file. */
import { isIdempotencyKey, MAX_KEY } from '../batches/keys.ts';
import { type Labels, readLabels } from '../contract/text/labels.ts';
import { baseNameOf, MAX_FILE_NAME } from '../contract/upload-kinds.ts';
import { Problem } from '../errors.ts';
import { type CsvOptions, readCsvOptions } from './parse/csv-options.ts';

/** Metadata of an inbox file that controls how it is taken; docs/inbox.md describes each entry. */
const FILE_METADATA = ['idempotencykey', 'labels', 'csv', 'filename', 'importedfrom'] as const;

/** The service accepts 8 KiB (source: Microsoft Learn, blob metadata). The rest is reserved for what a move adds. */
export const MAX_METADATA = 7 * 1024;

const CONTROL = /\p{Cc}/u;

export interface UploadOptions {
  key: string | undefined;
  /** Ignored unless the upload is CSV. */
  csv: CsvOptions;
  labels: Labels | undefined;
  fileName: string | undefined;
}

/**
 * Reads labels from `key=value,key2=value2` with percent-encoded values; `where` is the name of the header or metadata
 * entry.
 * @throws Problem 'invalid-parameter'
 */
export function readLabelsOption(text: string | null | undefined, where: string): Labels | undefined {
  try {
    return readLabels(text ?? '');
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Problem('invalid-parameter', `${where}: ${error.message}`);
  }
}

/**
 * Reads the percent-encoded name of a file and removes its folders.
 * @throws Problem 'invalid-parameter' for a name over 255 characters or with control characters.
 */
export function readFileName(text: string | null | undefined, where: string): string | undefined {
  if (text === null || text === undefined || text.trim() === '') return undefined;
  const name = baseNameOf(decode(text.trim(), where));
  if (name === '' || [...name].length > MAX_FILE_NAME || CONTROL.test(name))
    throw new Problem(
      'invalid-parameter',
      `${where}: expected a name of 1 to ${MAX_FILE_NAME} characters without control characters.`,
    );
  return name;
}

/**
 * Reads the options of an inbox file from its metadata entries `idempotencykey`, `csv` (in the form of an upload's query),
 * `labels` and `filename`. Names of entries are not case-sensitive. Without `filename`, the name is the last part of the
 * path.
 * @throws Problem 'invalid-parameter'
 */
export function inboxOptions(path: string, metadata?: Readonly<Record<string, string>>): UploadOptions {
  const { idempotencykey: key, csv = '', labels, filename } = lowerCased(metadata);
  if (key !== undefined && !isIdempotencyKey(key))
    throw new Problem(
      'invalid-parameter',
      `Metadata idempotencykey must be 1 to ${MAX_KEY} printable ASCII characters.`,
    );
  return {
    key,
    csv: readCsvOptions(new URLSearchParams(csv)),
    labels: readLabelsOption(labels, 'Metadata labels'),
    fileName: readFileName(filename, 'Metadata filename') ?? [...baseNameOf(path)].slice(0, MAX_FILE_NAME).join(''),
  };
}

function decode(text: string, where: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Problem(
      'invalid-parameter',
      `${where}: expected a percent-encoded name, got ${JSON.stringify(text.slice(0, 80))}.`,
    );
  }
}

/** Returns metadata with lower-case names: blobs keep the case in which a name was written. */
const lowerCased = (metadata: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name.toLowerCase(), value]));

/** Returns the size of metadata in bytes. */
export const metadataBytes = (metadata: Readonly<Record<string, string>>): number =>
  Object.entries(metadata).reduce((sum, [name, value]) => sum + name.length + value.length, 0);

/** Returns the entries of a blob's metadata that control how the file is taken, with lower-case names. Omits all others. */
export function fileMetadata(metadata?: Record<string, string>): Record<string, string> {
  const all = Object.entries(lowerCased(metadata));
  const known = Object.fromEntries(all.filter(([name]) => (FILE_METADATA as readonly string[]).includes(name)));
  return metadataBytes(known) > MAX_METADATA ? {} : known;
}
