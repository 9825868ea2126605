/**
 * Options that a client gives beside the content: in headers and query of a request, or in the metadata of an inbox file.
 */
import { type Labels, readLabels } from '../contract/text/labels.ts';
import { baseNameOf, MAX_FILE_NAME } from '../contract/upload-kinds.ts';
import { Problem } from '../errors.ts';
import { lowerCased } from './file-metadata.ts';
import { type CsvOptions, readCsvOptions } from './parse/csv-options.ts';

const CONTROL = /\p{Cc}/u;

export interface UploadOptions {
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
 * Reads the options of an inbox file from its metadata entries `csv` (in the form of an upload's query), `labels` and
 * `filename`. Names of entries are not case-sensitive. Without `filename`, the name is the last part of the path.
 * @throws Problem 'invalid-parameter'
 */
export function inboxOptions(path: string, metadata?: Readonly<Record<string, string>>): UploadOptions {
  const { csv = '', labels, filename } = lowerCased(metadata);
  return {
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
