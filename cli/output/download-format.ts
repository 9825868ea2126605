import { extname } from 'node:path';
import { Option } from 'commander';
import { UsageError } from '../process/errors.ts';
import type { Session } from '../session.ts';

/** The formats of a download; each command supports some of them. */
export type DownloadFormat = 'table' | 'text' | 'json' | 'ndjson' | 'csv';

const ENDINGS: ReadonlyMap<string, DownloadFormat> = new Map([
  ['.csv', 'csv'],
  ['.json', 'json'],
  ['.ndjson', 'ndjson'],
  ['.jsonl', 'ndjson'],
]);

/** Creates the option for the format. */
export const formatOption = (formats: readonly DownloadFormat[], fallback: DownloadFormat): Option =>
  new Option('--format <format>', `output format; defaults to the extension of --out, otherwise ${fallback}`).choices(
    formats,
  );

/**
 * Returns the format of a download: that of `--format`, otherwise of `--output`, otherwise of the file extension, otherwise
 * `fallback`. Throws UsageError if the options contradict each other, or if the command does not support the extension.
 */
export function downloadFormat<F extends DownloadFormat>(
  { settings: { output } }: Pick<Session, 'settings'>,
  { format, out }: { format?: F; out?: string },
  { formats, fallback }: { formats: readonly F[]; fallback: F },
): F {
  const has = (name: DownloadFormat | undefined): F | undefined => formats.find((each) => each === name);
  const ofOutput = output === 'table' ? (has('table') ?? has('text')) : has(output);
  if (format !== undefined && ofOutput !== undefined && format !== ofOutput)
    throw new UsageError(`--format ${format}: cannot be combined with --output ${output}`);
  const chosen = format ?? ofOutput;
  if (chosen !== undefined) return chosen;
  const ending = out === undefined ? undefined : ENDINGS.get(extname(out).toLowerCase());
  if (ending === undefined) return fallback;
  const found = has(ending);
  if (found !== undefined) return found;
  throw new UsageError(`--out: expected a file with the extension of ${formats.join(', ')}, or --format; got ${out}`);
}
