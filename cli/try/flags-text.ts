import { type CsvOptions, csvOptionsParams } from '../../shared/intake/parse/csv-options.ts';
import { shellWord } from '../../shared/shell-word.ts';
import { csvOptionsOf } from '../upload/csv-flags.ts';
import type { SourceOptions } from '../upload/input.ts';

/** Returns the options of a CSV file as shell words. */
const csvFlagsText = (options: CsvOptions = {}): string[] =>
  [...csvOptionsParams(options)].map(([name, value]) => `--${name} ${shellWord(value)}`);

/** Returns all options for reading a file as shell words. */
export const sourceFlagsText = (options: SourceOptions = {}): string[] => [
  ...csvFlagsText(csvOptionsOf(options)),
  ...(['sheet', 'format', 'encoding'] as const).flatMap((name) => {
    const value = options[name];
    return value === undefined ? [] : [`--${name} ${shellWord(value)}`];
  }),
];
