import type { Screen } from '../process/status-line.ts';
import { formatNumber, formatSize, formatTable } from '../text/format.ts';
import { printable } from '../text/printable.ts';
import { batchOf, type FileRun } from './file-run.ts';

export interface ProgressTable {
  changed(): void;
  /** Removes the table; the result is printed in its place. */
  clear(): void;
}

const REDRAW_MS = 100;
/** Assumed height of a terminal that does not report it. */
const DEFAULT_ROWS = 24;
const MIN_COLUMNS = 20;

/**
 * Creates a table with one line per file, redrawn in a terminal. Elsewhere it shows nothing: a line per finished file is
 * printed.
 */
export function createProgressTable(
  screen: Screen & { rows?: number },
  runs: readonly FileRun[],
  now: () => number,
): ProgressTable {
  if (screen.isTTY !== true) return { changed: () => {}, clear: () => {} };
  let drawn = 0;
  let drawnAt = -Infinity;
  const up = (): string => (drawn === 0 ? '' : `\u001b[${drawn}A`);
  return {
    changed: () => {
      if (now() - drawnAt < REDRAW_MS) return;
      drawnAt = now();
      const width = Math.max(MIN_COLUMNS, (screen.columns || 80) - 1);
      const lines = describeRuns(runs, (screen.rows || DEFAULT_ROWS) - 2);
      screen.write(`${up()}${lines.map((line) => `\u001b[2K${printable(line).slice(0, width)}\n`).join('')}\u001b[J`);
      drawn = lines.length;
    },
    clear: () => {
      screen.write(`${up()}\u001b[J`);
      drawn = 0;
    },
  };
}

/**
 * Formats one line per file: name, percentage sent, batch, state. If there are more than `maxLines`, only active files are
 * shown.
 */
function describeRuns(runs: readonly FileRun[], maxLines: number): string[] {
  const shown =
    runs.length <= maxLines
      ? runs
      : runs.filter(({ phase }) => phase === 'working').slice(0, Math.max(1, maxLines - 1));
  const table = formatTable(
    shown.map((run) => [run.source.name, describeSent(run), batchOf(run)?.id ?? '', describeState(run)]),
  );
  if (shown.length === runs.length) return table;
  const ended = runs.filter(({ phase }) => phase === 'ended').length;
  return [...table, `  ${ended} of ${formatNumber(runs.length, 'file')} done`];
}

function describeSent({ progress, sent }: FileRun): string {
  if (sent !== undefined) return '100 %';
  if (progress === undefined) return '';
  const { read, size } = progress;
  // The size of a converted file is not known in advance.
  return size === undefined ? formatSize(read) : `${size === 0 ? 100 : Math.floor((100 * read) / size)} %`;
}

/** Describes the state of a file in a few words. */
export function describeState(run: FileRun): string {
  const { phase, failure, progress, sent } = run;
  if (failure !== undefined) return 'failed';
  const batch = batchOf(run);
  if (batch !== undefined) {
    const { accepted, pending } = batch.counts;
    const isAtWork = pending > 0 && accepted > 0;
    return isAtWork ? `${batch.state}, ${Math.floor((100 * (accepted - pending)) / accepted)} %` : batch.state;
  }
  if (sent?.inbox !== undefined) return 'in the inbox';
  if (progress?.isWhole) return 'sent';
  return phase === 'working' ? 'sending' : 'waiting';
}
