import { extname } from 'node:path';
import { UsageError } from '../process/errors.ts';
import type { Session } from '../session.ts';

/** What a download may be written in; each command has some of them. */
export type DownloadFormat = 'table' | 'text' | 'json' | 'ndjson' | 'csv';

const ENDINGS: ReadonlyMap<string, DownloadFormat> = new Map([
  ['.csv', 'csv'],
  ['.json', 'json'],
  ['.ndjson', 'ndjson'],
  ['.jsonl', 'ndjson'],
]);

/**
 * Returns the format of a download: that of `--format`, else of `--output`, else of the ending of the file, else `fallback`.
 * Throws UsageError for two that differ, and for an ending that names one which the command does not have.
 */
export function downloadFormat<F extends DownloadFormat>(
  { settings: { output } }: Pick<Session, 'settings'>,
  { format, out }: { format?: F; out?: string },
  { formats, fallback }: { formats: readonly F[]; fallback: F },
): F {
  const has = (name: DownloadFormat | undefined): F | undefined => formats.find((each) => each === name);
  const ofOutput = output === 'table' ? (has('table') ?? has('text')) : has(output);
  if (format !== undefined && ofOutput !== undefined && format !== ofOutput)
    throw new UsageError(`--format ${format}: does not go with --output ${output}`);
  const chosen = format ?? ofOutput;
  if (chosen !== undefined) return chosen;
  const ending = out === undefined ? undefined : ENDINGS.get(extname(out).toLowerCase());
  if (ending === undefined) return fallback;
  const found = has(ending);
  if (found !== undefined) return found;
  throw new UsageError(`--out: ${out} would be ${ending}; expected ${formats.join(', ')}, or --format`);
}
