/** Sends several files in parallel, one batch per file; a failed file does not stop the others. */
import type { BatchView } from '../../shared/http/batches/schemas.ts';
import { inParallel } from '../../shared/parallel.ts';
import { CliError, toCliError } from '../process/errors.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import type { Session } from '../session.ts';
import { untilFinished } from '../watch/until-finished.ts';
import { getBatch } from '../watch/wait.ts';
import type { FileRun } from './file-run.ts';
import { type Source, withKey } from './input.ts';
import { createProgressTable, type ProgressTable } from './progress-table.ts';
import { type SendOptions, sendBatch } from './send/send-batch.ts';
import { conclude, outcomeOf, printRuns } from './several-outcome.ts';

/** One upload uses an upstream of 100 Mbit/s; several overlap the time for key, conversion and acceptance. */
const PARALLEL_UPLOADS = 4;

/** Sends all files and prints their results. Returns the exit code, or throws CliError with the names of the failed files. */
export async function sendSeveral(
  session: Session,
  sources: readonly Source[],
  options: SendOptions,
): Promise<ExitCode> {
  const runs = sources.map((source): FileRun => ({ source, phase: 'waiting' }));
  const table = createProgressTable(session.screen, runs, session.io.now);
  const watches: Promise<void>[] = [];
  const stopListening = session.io.onInterrupt?.(() => {
    table.clear();
    printRuns(session, runs);
    if (runs.some(({ sent }) => sent === undefined)) session.inform(afterInterrupt(options));
  });
  await inParallel(runs, PARALLEL_UPLOADS, async (run) => {
    run.phase = 'working';
    await attempt(run, () => sendOne(session, { run, runs, table, options }));
    const first = options.wait && run.failure === undefined ? run.sent?.batch : undefined;
    if (first === undefined) return end(session, run, table);
    // Not awaited: the next file does not have to wait for this batch.
    watches.push(
      attempt(run, () => watch(session, { run, first, table, options })).then(() => end(session, run, table)),
    );
  });
  await Promise.all(watches);
  stopListening?.();
  table.clear();
  printRuns(session, runs);
  return conclude(runs);
}

/** Describes how to continue with files that have no batch yet. */
const afterInterrupt = ({ again = false }: SendOptions): string =>
  again
    ? 'A file whose state is "sent" may have been accepted: sluice batches lists the batches.'
    : 'A file whose state is "sent" may have been accepted. To find out and to continue, run the same command: files that were accepted are not processed twice.';

async function attempt(run: FileRun, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error: unknown) {
    run.failure = toCliError(error);
  }
}

function end(session: Session, run: FileRun, table: ProgressTable): void {
  run.phase = 'ended';
  if (session.screen.isTTY) table.changed();
  else session.inform(`${run.source.name}: ${run.failure?.message ?? outcomeOf(run)}`);
}

interface Sending {
  run: FileRun;
  runs: readonly FileRun[];
  table: ProgressTable;
  options: SendOptions;
}

async function sendOne(session: Session, { run, runs, table, options }: Sending): Promise<void> {
  const input = await withKey(session, run.source, options);
  const twin = runs.find((other) => other !== run && other.key === input.key);
  if (twin !== undefined)
    throw new CliError(`has the same content as ${twin.source.name}; --again submits it as another batch`, {
      exitCode: EXIT.usage,
    });
  run.key = input.key;
  if (input.remark !== undefined && !session.screen.isTTY) session.inform(`${input.name}: ${input.remark}`);
  run.sent = await sendBatch(session, input, {
    options,
    view: {
      run: (upload) =>
        upload((progress) => {
          run.progress = progress;
          table.changed();
        }),
      say: (remark) => {
        if (!session.screen.isTTY) session.inform(`${input.name}: ${remark}`);
      },
    },
  });
}

async function watch(
  session: Session,
  { run, first, table, options }: { run: FileRun; first: BatchView; table: ProgressTable; options: SendOptions },
): Promise<void> {
  const { now, sleep } = session.io;
  const show = (batch: BatchView): void => {
    run.watched = batch;
    table.changed();
  };
  run.watched = await untilFinished<BatchView>({
    ...{ now, sleep, first, show },
    poll: () => getBatch(session, first.id),
    timeoutMs: options.timeout === undefined ? undefined : options.timeout * 1000,
  });
}
