/** How a CSV upload is written, as far as its client says; query parameters of the upload and metadata of inbox files. */
import { DELIMITERS, type Delimiter, delimiterName } from '../../../contract/upload-kinds.ts';
import { Problem } from '../../../errors.ts';

/** Character sets that are read, by their names in the Encoding Standard. */
export const CHARSETS = ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be'] as const;
export type Charset = (typeof CHARSETS)[number];

/** What a client says of its CSV upload. */
export interface CsvOptions {
  /** Default: found from the head of the upload. */
  delimiter?: Delimiter;
  /** Before the fraction of a number; default a point. */
  decimal?: '.' | ',';
  /** Names of columns by what the header calls them. */
  rename?: Readonly<Record<string, string>>;
  /** Default UTF-8, or what a byte order mark says. */
  charset?: Charset;
}

/** What the cells of a column are converted to. */
export type CellType = 'text' | 'number' | 'integer' | 'boolean';

/** What a CSV upload was read as. */
export interface CsvReading {
  delimiter: Delimiter;
  decimal: '.' | ',';
  charset: Charset;
  /** `name` is the path in the item, with dots, that the column `header` was taken for. */
  columns: readonly { header: string; name: string; type: CellType }[];
  /** Columns without a name behind those, whose cells are all empty, as spreadsheets write them; absent when there is none. */
  unnamed?: number;
}

const DECIMALS = { point: '.', comma: ',' } as const;
const MAX_RENAMES = 1_000;

/**
 * Reads `delimiter`, `decimal`, `rename` (repeatable) and `charset`; each by name, delimiter and decimal also by character.
 * @throws Problem 'invalid-parameter' for a value that is not known.
 */
export function readCsvOptions(params: URLSearchParams): CsvOptions {
  const [delimiter, decimal, charset] = ['delimiter', 'decimal', 'charset'].map((name) => params.get(name));
  const renames = params.getAll('rename');
  return {
    ...(delimiter == null ? {} : { delimiter: oneOf('delimiter', delimiter, DELIMITERS) }),
    ...(decimal == null ? {} : { decimal: oneOf('decimal', decimal, DECIMALS) }),
    ...(renames.length === 0 ? {} : { rename: readRenames(renames) }),
    ...(charset == null ? {} : { charset: oneOf('charset', charset.toLowerCase(), CHARSET_NAMES) }),
  };
}

/** The parameters that `readCsvOptions` reads. */
export function csvOptionsParams({ delimiter, decimal, rename = {}, charset }: CsvOptions): URLSearchParams {
  const params = new URLSearchParams();
  if (delimiter !== undefined) params.set('delimiter', delimiterName(delimiter));
  if (decimal !== undefined) params.set('decimal', decimal === ',' ? 'comma' : 'point');
  for (const [header, name] of Object.entries(rename)) params.append('rename', `${header}=${name}`);
  if (charset !== undefined) params.set('charset', charset);
  return params;
}

const CHARSET_NAMES = Object.fromEntries(CHARSETS.map((name) => [name, name])) as Record<Charset, Charset>;

function oneOf<T extends string>(parameter: string, text: string, known: Readonly<Record<string, T>>): T {
  const value = Object.hasOwn(known, text) ? known[text] : Object.values(known).find((one) => one === text);
  if (value !== undefined) return value;
  const names = Object.keys(known).join(', ');
  throw new Problem('invalid-parameter', `${parameter}: expected one of ${names}, got ${JSON.stringify(text)}.`);
}

function readRenames(texts: readonly string[]): Record<string, string> {
  if (texts.length > MAX_RENAMES) throw new Problem('invalid-parameter', `rename: expected at most ${MAX_RENAMES}.`);
  return Object.fromEntries(texts.map(readRename));
}

/** `Old name=newName`: a name in an item has no "=", a header may. */
function readRename(text: string): [header: string, name: string] {
  const equals = text.lastIndexOf('=');
  const [header, name] = [text.slice(0, equals).trim(), text.slice(equals + 1).trim()];
  if (equals > 0 && header !== '' && name !== '') return [header, name];
  throw new Problem('invalid-parameter', `rename: expected "Old name=newName", got ${JSON.stringify(text)}.`);
}
