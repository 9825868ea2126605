/** The options of a command that say how a CSV file is written. */
import { Option } from 'commander';
import { Problem } from '../../shared/errors.ts';
import {
  CHARSETS,
  type CsvOptions,
  csvOptionsParams,
  DELIMITERS,
  readCsvOptions,
} from '../../shared/intake/parse/csv-options.ts';
import { UsageError } from '../errors.ts';
import { collect } from '../options.ts';

/** The options as the parser gives them. */
export interface CsvFlags {
  delimiter?: string;
  decimal?: string;
  rename?: string[];
  charset?: string;
}

/** The options, for `addOption`. */
export const csvFlags = (): Option[] => [
  new Option('--delimiter <name>', `between the cells of CSV: ${Object.keys(DELIMITERS).join(', ')}; default found`),
  new Option('--decimal <name>', 'before the fraction of a number in CSV: point or comma; default point'),
  new Option('--rename <old=new>', 'another name for a column of CSV; repeatable').argParser(collect),
  new Option('--charset <name>', `of CSV: ${CHARSETS.join(', ')}; default utf-8, or what its first bytes say`),
];

/** Reads the options. Throws UsageError for a value that is not known. */
export function readCsvFlags({ delimiter, decimal, rename = [], charset }: CsvFlags): CsvOptions {
  const params = new URLSearchParams(rename.map((each): [string, string] => ['rename', each]));
  for (const [name, value] of Object.entries({ delimiter, decimal, charset }))
    if (value !== undefined) params.set(name, value);
  try {
    return readCsvOptions(params);
  } catch (error: unknown) {
    if (!(error instanceof Problem)) throw error;
    throw new UsageError(`--${error.message}`, { cause: error });
  }
}

/** The options as they are written in a shell. */
export const csvFlagsText = (options: CsvOptions): string[] =>
  [...csvOptionsParams(options)].map(([name, value]) => `--${name} ${shellWord(value)}`);

/** A word of a command line, in quotes where a shell would not take it as one. */
export const shellWord = (word: string): string =>
  /^[\w=.,:/@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
