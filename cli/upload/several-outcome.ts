/** Prints the results of several uploads, and chooses the exit code. */
import { CliError } from '../process/errors.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import type { Session } from '../session.ts';
import { formatCount, formatNumber, formatTable } from '../text/format.ts';
import { exitCodeOf } from '../watch/until-finished.ts';
import { batchOf, type FileRun } from './file-run.ts';
import { describeState } from './progress-table.ts';

/** Exit codes in order of precedence: failures that may be repeated, then refusals, then the states of batches. */
const WORST: readonly ExitCode[] = [
  ...[EXIT.failed, EXIT.usage, EXIT.notFound, EXIT.refused, EXIT.timeout],
  ...[EXIT.suspect, EXIT.reportFailed, EXIT.cancelled, EXIT.deadLetters],
];

/** Describes the result of one file in one line. */
export function outcomeOf(run: FileRun): string {
  const { sent } = run;
  const batch = batchOf(run);
  if (batch === undefined) return `in the inbox as ${sent?.inbox}`;
  return sent?.isRepeat ? `already accepted as batch ${batch.id}: ${batch.state}` : `batch ${batch.id}: ${batch.state}`;
}

/** Prints the result of each file. */
export function printRuns({ settings, answer, print, inform }: Session, runs: readonly FileRun[]): void {
  if (settings.quiet && !settings.json) {
    print(...runs.flatMap(({ sent }) => sent?.batch?.id ?? sent?.inbox ?? []));
    return;
  }
  answer({ batches: runs.map(documentOf) }, () =>
    formatTable([
      ['file', 'batch', 'items', 'dead', 'state'],
      ...runs.map((run) => {
        const batch = batchOf(run);
        const counts = batch === undefined ? ['', ''] : [batch.counts.accepted, batch.counts.dead].map(formatCount);
        const before = run.sent?.isRepeat ? ' (already accepted)' : '';
        return [run.source.name, batch?.id ?? run.sent?.inbox ?? '', ...counts, `${describeState(run)}${before}`];
      }),
    ]),
  );
  if (runs.some(({ sent }) => sent?.isRepeat))
    inform('Files that were already accepted are not processed twice; --again submits them as new batches.');
}

/** Returns the JSON of one file: that of a single upload, with the file name and the error. */
function documentOf(run: FileRun): unknown {
  const { source, key, sent, failure } = run;
  return {
    file: source.name,
    ...batchOf(run),
    ...(sent === undefined || sent.batch !== undefined ? {} : { inbox: sent.inbox }),
    ...(key === undefined ? {} : { idempotencyKey: key }),
    ...(sent?.batch === undefined ? {} : { isRepeat: sent.isRepeat }),
    ...(failure === undefined ? {} : { error: { exitCode: failure.exitCode, message: failure.message } }),
  };
}

/** Returns the exit code with the highest precedence. Throws CliError with the names of the failed files. */
export function conclude(runs: readonly FileRun[]): ExitCode {
  const codes = runs.map(({ failure, watched }) => failure?.exitCode ?? (watched ? exitCodeOf(watched) : EXIT.done));
  const worst = WORST.find((code) => codes.includes(code)) ?? EXIT.done;
  const failed = runs.filter(({ failure }) => failure !== undefined);
  if (failed.length === 0) return worst;
  throw new CliError(
    [
      `${failed.length} of ${formatNumber(runs.length, 'file')} failed:`,
      ...failed.map(({ source, failure }) => `  ${source.name}: ${failure?.message.replaceAll('\n', '\n  ')}`),
    ].join('\n'),
    { exitCode: worst, hint: failed.find(({ failure }) => failure?.hint !== undefined)?.failure?.hint },
  );
}
