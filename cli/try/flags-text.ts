import { csvOptionsParams } from '../../shared/intake/parse/csv-options.ts';
import { shellWord } from '../../shared/shell-word.ts';
import { csvOptionsOf } from '../upload/csv-flags.ts';
import type { SourceOptions } from '../upload/input.ts';

/** Returns all options for reading a file as shell words. */
export const sourceFlagsText = (options: SourceOptions = {}): string[] => [
  ...[...csvOptionsParams(csvOptionsOf(options) ?? {})].map(([name, value]) => `--${name} ${shellWord(value)}`),
  ...(['sheet', 'format', 'encoding'] as const).flatMap((name) =>
    options[name] === undefined ? [] : [`--${name} ${shellWord(options[name])}`],
  ),
];
