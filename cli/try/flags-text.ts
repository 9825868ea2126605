import { type CsvOptions, csvOptionsParams } from '../../shared/intake/parse/csv/csv-options.ts';

/** The options of a CSV file as they are written in a shell. */
export const csvFlagsText = (options: CsvOptions = {}): string[] =>
  [...csvOptionsParams(options)].map(([name, value]) => `--${name} ${shellWord(value)}`);

/** A word of a command line, in quotes where a shell would not take it as one. */
export const shellWord = (word: string): string =>
  /^[\w=.,:/@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
