import { type CsvOptions, csvOptionsParams } from '../../shared/intake/parse/csv/csv-options.ts';
import { shellWord } from '../../shared/shell-word.ts';

/** The options of a CSV file as they are written in a shell. */
export const csvFlagsText = (options: CsvOptions = {}): string[] =>
  [...csvOptionsParams(options)].map(([name, value]) => `--${name} ${shellWord(value)}`);
