import { causeOf } from '../../shared/contract/cause.ts';
import { newBatchId } from '../../shared/contract/names.ts';
import type { DeadItem } from '../../shared/contract/outcome.ts';
import type { UploadCheck } from '../../shared/intake/check/check-upload.ts';
import type { RawChunk } from '../../shared/intake/chunk-records.ts';
import { type ItemsRun, runItems } from '../../shared/kit/run-items.ts';
import type { Workload } from '../../shared/workload/define.ts';
import { isConfirmed } from '../confirm.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import type { Session } from '../session.ts';
import { formatCount, formatNumber, formatSeconds } from '../text/format.ts';
import { reportTable } from '../text/report-text.ts';
import { shorten } from './check-text.ts';

export interface RunRequest {
  check: UploadCheck;
  chunks: readonly RawChunk[];
  workload: Workload;
  yes: boolean;
}

/** Runs the first items of a file in this process, and prints their results. */
export async function runHere(session: Session, { check, chunks, workload, yes }: RunRequest): Promise<ExitCode> {
  const { print, inform, settings, io } = session;
  inform(...warning(workload, check.items));
  if (!yes && !(await isConfirmed(session, 'try --run', `Run ${workload.name} on them? [y/N] `))) {
    inform('Nothing was run.');
    return EXIT.failed;
  }
  const startedAt = io.now();
  const startMs = Date.now();
  // A new id per run, so that a service with idempotency keys does not ignore a second run as a repetition.
  const run = await runItems(workload, streamOf(chunks), { batch: newBatchId(startMs), startMs });
  const view = viewOf(run, io.now() - startedAt);
  if (settings.json) session.answer({ ...check, run: view }, () => []);
  else print(...describeRun(run, view));
  return run.reportError ? EXIT.reportFailed : run.deadLetters.length > 0 ? EXIT.deadLetters : EXIT.done;
}

function warning({ name, containers, rateLimit, maxConcurrency }: Workload, items: number): string[] {
  return [
    `Runs the handler of ${name} on ${formatNumber(items, 'item')} on this machine. Side effects of the handler are real.`,
    'Retries follow without a delay.',
    ...(rateLimit || maxConcurrency
      ? ['rateLimit and maxConcurrency are not applied; reduce the load with --items.']
      : []),
    ...(containers.length > 0 ? [`The containers ${containers.join(', ')} are empty and in memory.`] : []),
  ];
}

async function* streamOf(chunks: readonly RawChunk[]): AsyncGenerator<RawChunk> {
  yield* chunks;
}

interface RunView {
  results: unknown[];
  deadLetters: (DeadItem & { line: number })[];
  report: Record<string, unknown>;
  reportProblem?: string;
  calls: number;
  retried: number;
  chunks: number;
  seconds: number;
  log: string[];
}

const viewOf = ({ lineOf, reportError, ...run }: ItemsRun, ms: number): RunView => ({
  results: run.results,
  deadLetters: run.deadLetters.map((letter) => ({ ...letter, line: lineOf(letter.index) })),
  report: run.report,
  ...(reportError ? { reportProblem: reportError.message } : {}),
  calls: run.calls.reduce((sum, calls) => sum + calls, 0),
  ...{ retried: run.retried, chunks: run.chunks, seconds: ms / 1_000, log: run.log },
});

const MAX_RESULTS = 3;
const MAX_ROWS = 10;
const MAX_CAUSES = 10;
const MAX_LOG = 10;

function describeRun(run: ItemsRun, { calls, retried, chunks, seconds, ...view }: RunView): string[] {
  const items = run.calls.length;
  const perItem = items === 0 ? 0 : (run.handlerSeconds * 1_000) / items;
  return [
    `Ran ${formatNumber(items, 'item')} in ${formatNumber(chunks, 'chunk')}: ${formatNumber(view.results.length, 'result')}, ${formatNumber(view.deadLetters.length, 'dead letter')}`,
    `Calls: ${formatCount(calls)}, ${formatCount(retried)} retried, at most ${formatCount(run.maxInFlight)} at the same time; ${formatSeconds(seconds * 1_000)}, ${perItem.toPrecision(2)} ms per item`,
    ...section('Results', view.results, MAX_RESULTS, (result) => shorten(result).map((line) => `  ${line}`)),
    ...describeDead(view.deadLetters),
    ...describeReport(view),
    ...section('Log', view.log, MAX_LOG, (line) => [`  ${line}`]),
  ];
}

function section<T>(title: string, entries: readonly T[], most: number, linesOf: (entry: T) => string[]): string[] {
  if (entries.length === 0) return [];
  const some = entries.length > most ? `, the first ${most} of ${formatCount(entries.length)}` : '';
  return [`${title}${some}:`, ...entries.slice(0, most).flatMap(linesOf)];
}

function describeDead(letters: RunView['deadLetters']): string[] {
  const groups = Map.groupBy(letters, ({ reason, error }) => causeOf(reason, error));
  const sorted = [...groups].toSorted(([, a], [, b]) => b.length - a.length);
  return section('Dead letters by cause', sorted, MAX_CAUSES, ([cause, [first, ...others]]) => [
    `  ${formatCount(others.length + 1)} x ${cause}`,
    ...(first ? [`    for example line ${first.line}: ${first.error.message}`] : []),
    ...(first?.error.stack ?? []).slice(0, 2).map((frame) => `      ${frame}`),
  ]);
}

function describeReport({ report, reportProblem }: Pick<RunView, 'report' | 'reportProblem'>): string[] {
  if (reportProblem !== undefined) return [`The report failed: ${reportProblem}`];
  const rows = Object.entries(report).map(([key, value]) => ({ key, value }));
  if (rows.length === 0) return [];
  const some = rows.length > MAX_ROWS ? `, the first ${MAX_ROWS} of ${formatNumber(rows.length, 'row')}` : '';
  return [`Report${some}:`, ...reportTable(rows.slice(0, MAX_ROWS))];
}
