/** How several uploads ended: what is printed of them, and with which exit code. */
import { CliError } from '../process/errors.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import type { Session } from '../session.ts';
import { formatCount, formatNumber, formatTable } from '../text/format.ts';
import { endingOf } from '../watch/until-finished.ts';
import { batchOf, type FileRun } from './file-run.ts';
import { describeState } from './progress-table.ts';

/** Which of several exit codes counts: what may be repeated first, then refusals, then how batches ended. */
const WORST: readonly ExitCode[] = [
  ...[EXIT.failed, EXIT.usage, EXIT.notFound, EXIT.refused, EXIT.timeout],
  ...[EXIT.suspect, EXIT.reportFailed, EXIT.cancelled, EXIT.deadLetters],
];

/** The state of the upload of one file, as one line. */
export function outcomeOf(run: FileRun): string {
  const { sent } = run;
  const batch = batchOf(run);
  if (batch === undefined) return `in the inbox as ${sent?.inbox}`;
  return sent?.isRepeat ? `accepted before, as batch ${batch.id}: ${batch.state}` : `batch ${batch.id}: ${batch.state}`;
}

/** Prints what became of each file. */
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
        const before = run.sent?.isRepeat ? ' (accepted before)' : '';
        return [run.source.name, batch?.id ?? run.sent?.inbox ?? '', ...counts, `${describeState(run)}${before}`];
      }),
    ]),
  );
  if (runs.some(({ sent }) => sent?.isRepeat))
    inform('Nothing is done twice of what was accepted before; --again submits it as new batches.');
}

/** As the document of a single file, with the name of the file, or with what went wrong. */
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

/** Returns the worst exit code. Throws CliError that names the files that failed. */
export function conclude(runs: readonly FileRun[]): ExitCode {
  const codes = runs.map(({ failure, watched }) => failure?.exitCode ?? (watched ? endingOf(watched) : EXIT.done));
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
