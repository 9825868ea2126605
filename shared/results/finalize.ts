/**
 * How a batch finishes: merge the partial aggregates in chunk order, write the report, finish the row, publish the end
 * (announce.ts).
 *
 * Invariant: a batch finishes once per revision, only when no chunk is pending, and its report contains each chunk once.
 * The interleaving that would break it: a finisher reads all chunk rows as done; a retry row is inserted, or a redrive
 * opens the next revision; the finisher finishes the batch. Therefore the rows are read before the batch row, their number
 * must equal that of its counters, and its state changes only by the ETag of that read: in a separate write, or in the
 * transaction that ends the last chunk. Two finishers write the same report: it is a function of the rows, and
 * create-only. If a finisher crashes between two steps, the next one (collector, sweep) continues, and `announced` is
 * written after the event.
 * Tests: tests/unit/results/finalize.test.ts and end-in-transaction.test.ts, tests/faults/chunk-life/chunk-life.test.ts
 * (a process crashes at any point).
 */
import type { FinishBatch } from '../batches/apply/plan-apply.ts';
import {
  type BatchRow,
  type BatchState,
  isFinished,
  pendingItems,
  type Suspect,
  type Versioned,
} from '../batches/batch-row.ts';
import type { ChunkRow } from '../batches/chunk-row.ts';
import { changeFrom, chunkRows, requireBatch } from '../batches/ledger.ts';
import { endingPause } from '../batches/pause.ts';
import { Problem } from '../errors.ts';
import type { Services } from '../queues/services.ts';
import { log } from '../telemetry/log.ts';
import { countBatch } from '../telemetry/metrics.ts';
import { withSpan } from '../telemetry/trace.ts';
import type { Workload } from '../workload/define.ts';
import { announce } from './announce.ts';
import { latencies } from './latency.ts';
import { ReportError } from './merge.ts';
import type { MergeAhead } from './merge-ahead.ts';
import { type Reported, writeReport } from './report.ts';
import { findSuspect } from './suspect.ts';

export interface FinalizeDeps extends Omit<Services, 'depthOf'> {
  mergeAhead: Pick<MergeAhead, 'take'>;
}

/**
 * Finishes a batch without pending chunks. Each step is a pure function of the rows or is decided by ETag, so that it may
 * be repeated at any point: report (create-only) → state → BatchCompleted → index → announced.
 * @throws Problem 'conflict' if the workload of a batch whose end is not announced is not deployed; BatchGoneError.
 */
export async function finalize(deps: FinalizeDeps, id: string, known?: KnownBatch): Promise<void> {
  const finished = await finishBatch(deps, id, known);
  if (finished) await announce(deps, finished.row, finished.etag);
}

/**
 * Returns the workload of a batch.
 * @throws Problem 'conflict' if it is not deployed any more: without it, no item can run, no report can be written and no
 * event about the batch can be published. The batch does not change, so that a deployment with the workload can continue
 * it.
 */
export function requireWorkload(
  { registry }: Pick<FinalizeDeps, 'registry'>,
  { workload: name }: Pick<BatchRow, 'workload'>,
): Workload {
  const workload = registry.workload(name);
  if (workload) return workload;
  throw new Problem('conflict', `Workload "${name}" is not deployed any more.`);
}

/** The rows of a batch as the collecting transaction has just seen them, so that they need not be read again. */
export interface KnownBatch {
  batch: Versioned<BatchRow>;
  rows?: ChunkRow[] | undefined;
}

async function finishBatch(
  deps: FinalizeDeps,
  id: string,
  known?: KnownBatch,
): Promise<Versioned<BatchRow> | undefined> {
  const rows = known?.rows ?? [];
  if (known?.rows === undefined) for await (const row of chunkRows(deps.table, id)) rows.push(row);
  if (rows.some((row) => row.state === 'pending')) return undefined;
  // Rows that were read here are older than the batch row: if that has more chunks, some were added meanwhile.
  const found = known?.rows === undefined ? await requireBatch(deps.table, id) : known.batch;
  if (found.row.announced) return undefined;
  requireWorkload(deps, found.row);
  // Another finisher may have crashed before it published the end. Announcing it again repeats nothing.
  if (isFinished(found.row.state)) return found;
  const { chunksDone, chunksTotal } = found.row;
  if (chunksDone !== rows.length || chunksTotal !== rows.length) return undefined;
  const { id: batch, traceparent: parent } = found.row;
  return withSpan('sluice.finalize', { parent, attributes: { 'sluice.batch': batch } }, () =>
    writeFinalState(deps, found, rows),
  );
}

async function writeFinalState(
  deps: FinalizeDeps,
  found: Versioned<BatchRow>,
  rows: ChunkRow[],
): Promise<Versioned<BatchRow> | undefined> {
  const { row: batch } = found;
  const columns = await finalColumns(deps, batch, rows);
  const finished = await changeFrom(deps.table, found, (now) =>
    isFinished(now.state) || now.revision !== batch.revision ? undefined : columns(now),
  );
  if (finished) {
    countFinished(finished.row);
    return finished;
  }
  // Another finisher was faster, or the answer to our own first try was lost. The end may still have to be published.
  const now = await requireBatch(deps.table, batch.id);
  return isFinished(now.row.state) ? now : undefined;
}

/** Writes the report of a batch without pending chunks, and returns the changes of its row. */
async function finalColumns(
  deps: FinalizeDeps,
  batch: BatchRow,
  rows: ChunkRow[],
): Promise<(now: BatchRow) => Partial<BatchRow>> {
  checkConservation(batch, rows);
  const problem = await reportProblem(deps, { workload: requireWorkload(deps, batch), batch, rows });
  const suspect = problem === undefined ? await findSuspect(deps, batch, rows) : undefined;
  const completedAt = new Date(deps.gate.now()).toISOString();
  return (now) => ({
    state: problem === undefined ? finalState(now, suspect) : 'reportFailed',
    suspect,
    announced: false,
    ...endingPause(now, completedAt),
    completedAt,
    ...latencies(now, rows),
    ...(problem === undefined
      ? { reportRevision: now.revision, reportProblem: undefined }
      : { reportProblem: problem }),
  });
}

/**
 * Creates the function with which the collecting transaction finishes a batch. The report may be written before the
 * transaction: after it, nothing is pending, so the outcomes that the report is created from are stored and stay. If the
 * transaction is refused because another one has changed the batch, it is repeated with the same report.
 */
export function createFinishBatch(deps: FinalizeDeps): FinishBatch {
  let known: { of: string; columns: Promise<(now: BatchRow) => Partial<BatchRow>> } | undefined;
  return async (batch, rows) => {
    const { id, revision, traceparent: parent } = batch;
    const of = JSON.stringify([revision, rows]);
    if (known?.of !== of) {
      const options = { parent, attributes: { 'sluice.batch': id } };
      known = { of, columns: withSpan('sluice.finalize', options, () => finalColumns(deps, batch, rows)) };
    }
    return (await known.columns)(batch);
  };
}

/** Counts a finished batch, by its row. */
export const countFinished = (row: BatchRow): void =>
  countBatch(row, row.state, (Date.parse(row.completedAt ?? '') - Date.parse(row.openedAt)) / 1000);

/**
 * Writes the report, and returns why it is impossible. Such a batch must not stay open forever: it ends as
 * `reportFailed`, with the reason. An error of a service is thrown: it passes, and the result message is delivered again.
 */
async function reportProblem(deps: FinalizeDeps, of: Reported): Promise<string | undefined> {
  try {
    await writeReport(deps, of);
    return undefined;
  } catch (error) {
    if (!(error instanceof ReportError)) throw error;
    log.error('report-failed', { batch: of.batch.id, workload: of.workload.name, error });
    return error.message;
  }
}

const finalState = (row: BatchRow, suspect: Suspect | undefined): BatchState => {
  if (row.cancelled > 0) return 'cancelled';
  if (suspect !== undefined) return 'suspect';
  return row.dead > 0 ? 'completedWithDeadLetters' : 'completed';
};

/** Checks accepted = succeeded + dead + discarded + cancelled, by counters and rows; a difference raises an alert. */
function checkConservation(batch: BatchRow, rows: ChunkRow[]): void {
  const sum = (pick: (row: ChunkRow) => number): number => rows.reduce((total, row) => total + pick(row), 0);
  const succeeded = sum((row) => row.header?.counts.succeeded ?? 0);
  const discarded = sum((row) => row.header?.counts.discarded ?? 0);
  const cancelled = sum((row) => row.header?.counts.cancelled ?? 0);
  const isSame = succeeded === batch.succeeded && discarded === batch.discarded && cancelled === batch.cancelled;
  if (pendingItems(batch) === 0 && isSame) return;
  const { id, accepted, dead } = batch;
  log.error('conservation-mismatch', {
    batch: id,
    accepted,
    dead,
    succeeded: batch.succeeded,
    discarded: batch.discarded,
    cancelled: batch.cancelled,
    rows: { succeeded, discarded, cancelled },
  });
}
