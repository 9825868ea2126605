import { type CsvOptions, csvOptionsParams } from '../../shared/intake/parse/csv/csv-options.ts';
import { shellWord } from '../../shared/shell-word.ts';
import { csvOptionsOf } from '../upload/csv-flags.ts';
import type { SourceOptions } from '../upload/input.ts';

/** The options of a CSV file as they are written in a shell. */
const csvFlagsText = (options: CsvOptions = {}): string[] =>
  [...csvOptionsParams(options)].map(([name, value]) => `--${name} ${shellWord(value)}`);

/** All options that say how a file is read, as they are written in a shell. */
export const sourceFlagsText = (options: SourceOptions = {}): string[] => [
  ...csvFlagsText(csvOptionsOf(options)),
  ...(['sheet', 'format', 'encoding'] as const).flatMap((name) => {
    const value = options[name];
    return value === undefined ? [] : [`--${name} ${shellWord(value)}`];
  }),
];
