/** How a CSV upload is written, if its client specifies it: query parameters of the upload, or metadata of inbox files. */
import { DELIMITERS, type Delimiter, delimiterName } from '../../contract/upload-kinds.ts';
import { Problem } from '../../errors.ts';
import type { CellType } from '../../workload/types/cells.ts';

/** Supported character sets, with their names in the Encoding Standard. */
export const CHARSETS = ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be'] as const;
export type Charset = (typeof CHARSETS)[number];

export interface CsvOptions {
  /** Defaults to the delimiter detected from the beginning of the upload. */
  delimiter?: Delimiter;
  /** Decimal separator. Defaults to a point. */
  decimal?: '.' | ',';
  /** Property names by header. */
  rename?: Readonly<Record<string, string>>;
  /** Defaults to the character set of the byte order mark, or UTF-8 if there is none. */
  charset?: Charset;
}

export interface CsvReading {
  delimiter: Delimiter;
  decimal: '.' | ',';
  charset: Charset;
  /** `name` is the path in the item, with dots, that the column `header` is assigned to. */
  columns: readonly { header: string; name: string; type: CellType }[];
  /** Number of columns without a name after those, whose cells are all empty. Absent if 0. */
  unnamed?: number;
}

const DECIMALS = { point: '.', comma: ',' } as const;
const MAX_RENAMES = 1_000;

/**
 * Parses `delimiter`, `decimal`, `rename` (repeatable) and `charset`. Delimiter and decimal may be a name or the character
 * itself.
 * @throws Problem 'invalid-parameter' for an unknown value.
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

/** Returns the parameters that `readCsvOptions` parses. */
export const csvOptionsParams = (options: CsvOptions): URLSearchParams =>
  new URLSearchParams(
    Object.entries(csvOptionsQuery(options)).flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, each]),
    ),
  );

/** Returns the options as parameters of an upload by their names. */
export const csvOptionsQuery = ({ delimiter, decimal, rename = {}, charset }: CsvOptions) => ({
  ...(delimiter === undefined ? {} : { delimiter: delimiterName(delimiter) }),
  ...(decimal === undefined ? {} : { decimal: decimal === ',' ? 'comma' : 'point' }),
  rename: Object.entries(rename).map(([header, name]) => `${header}=${name}`),
  ...(charset === undefined ? {} : { charset }),
});

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

/** Parses `Old name=newName` at the last "=": a property name contains none, but a header may. */
function readRename(text: string): [header: string, name: string] {
  const equals = text.lastIndexOf('=');
  const [header, name] = [text.slice(0, equals).trim(), text.slice(equals + 1).trim()];
  if (equals > 0 && header !== '' && name !== '') return [header, name];
  throw new Problem('invalid-parameter', `rename: expected "Old name=newName", got ${JSON.stringify(text)}.`);
}
