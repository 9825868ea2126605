/**
 * The end of a batch: merge the partial aggregates in chunk order, write the report, finish the row, publish the end.
 *
 * Invariant: a batch ends once per revision, only when no chunk is pending, and its report has each chunk once.
 * The interleaving that would break it: a finisher reads all chunk rows as done; a retry row is inserted, or a redrive opens
 * the next revision; the finisher ends the batch. So the rows are read before the batch row, their number must be that of
 * its counters, and its state changes by the ETag of that read: in a write of its own, or in the transaction that ends the last
 * chunk. Two finishers make the same report: it is a function of the rows, and create-only. One that dies between two steps is
 * continued by whoever comes next (collector, sweep), and `announced` is written after the event.
 * Tests: tests/unit/results/finalize.test.ts and end-in-transaction.test.ts, tests/faults/chunk-life/chunk-life.test.ts (a
 * process dies at any point).
 */
import type { ContainerClient } from '@azure/storage-blob';
import type { EndBatch } from '../batches/apply/plan-apply.ts';
import {
  type BatchRow,
  type BatchState,
  isFinished,
  pendingItems,
  type Suspect,
  type Versioned,
} from '../batches/batch-row.ts';
import type { ChunkRow } from '../batches/chunk-row.ts';
import { changeBatch, changeFrom, chunkRows, readBatch } from '../batches/ledger.ts';
import { indexBatch } from '../batches/listing/index-rows.ts';
import { closeBatch } from '../batches/listing/open-rows.ts';
import { endingPause } from '../batches/pause.ts';
import { addOperations, type Operations } from '../contract/operations.ts';
import type { Meter } from '../cost/meter.ts';
import { Problem } from '../errors.ts';
import type { Table } from '../storage/table.ts';
import { log } from '../telemetry/log.ts';
import { countBatch } from '../telemetry/metrics.ts';
import { withSpan, withTrace } from '../telemetry/trace.ts';
import type { EnqueueDeps } from '../wake/enqueue.ts';
import { type BatchEventDeps, eventCounts, publishBatchEvent } from '../wake/events/batch-events.ts';
import type { Spending } from '../wake/gate/spending.ts';
import type { Workload } from '../workload/define.ts';
import { latencies } from './latency.ts';
import { ReportError } from './merge.ts';
import type { MergeAhead } from './merge-ahead.ts';
import { type Reported, writeReport } from './report.ts';
import { findSuspect } from './suspect.ts';

export interface FinalizeDeps extends EnqueueDeps, BatchEventDeps {
  table: Table;
  container: (name: string) => ContainerClient;
  meter: Pick<Meter, 'measure' | 'record' | 'unrecorded'>;
  spending: Pick<Spending, 'add'>;
  visibilitySeconds: number;
  mergeAhead: Pick<MergeAhead, 'take'>;
}

/**
 * Finishes a batch of which nothing is pending. Everything in it is a pure function of the rows or decided by ETag, so
 * that it may be repeated at any point: report (create-only) → state → BatchCompleted → index → announced.
 * @throws Problem 'conflict' when the workload of a batch whose end is not announced is not deployed.
 */
export async function finalize(deps: FinalizeDeps, id: string, known?: KnownBatch): Promise<void> {
  const finished = await finishBatch(deps, id, known);
  if (finished) await announce(deps, finished.row, finished.etag);
}

/**
 * The workload of a batch.
 * @throws Problem 'conflict' when it is not deployed any more: without it no item can run, no report can be made and no event
 * about the batch can be published. The batch then stays as it is, so that a deployment which has the workload goes on with it.
 */
export function requireWorkload(
  { registry }: Pick<FinalizeDeps, 'registry'>,
  { workload: name }: Pick<BatchRow, 'workload'>,
): Workload {
  const workload = registry.workload(name);
  if (workload) return workload;
  throw new Problem('conflict', `Workload "${name}" is not deployed any more.`);
}

/** What the collecting transaction has just seen of a batch: then nothing of it needs to be read again. */
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
  if (known?.rows === undefined) for await (const { row } of chunkRows(deps.table, id)) rows.push(row);
  if (rows.some((row) => row.state === 'pending')) return undefined;
  // Rows that were read are older than the batch row then: if that knows of more chunks, something was added meanwhile.
  const found = known?.rows === undefined ? await readBatch(deps.table, id) : known.batch;
  if (!found || found.row.announced) return undefined;
  requireWorkload(deps, found.row);
  // Finished by somebody who may have died before publishing it: announcing is requested once more, and repeats nothing.
  if (isFinished(found.row.state)) return found;
  const { chunksDone, chunksTotal } = found.row;
  if (chunksDone !== rows.length || chunksTotal !== rows.length) return undefined;
  const { id: batch, traceparent: parent } = found.row;
  return withSpan('sluice.finalize', { parent, attributes: { 'sluice.batch': batch } }, () =>
    endBatch(deps, found, rows),
  );
}

async function endBatch(
  deps: FinalizeDeps,
  found: Versioned<BatchRow>,
  rows: ChunkRow[],
): Promise<Versioned<BatchRow> | undefined> {
  const { row: batch } = found;
  const ending = await endingOf(deps, batch, rows);
  const finished = await changeFrom(deps.table, found, (now) =>
    isFinished(now.state) || now.revision !== batch.revision ? undefined : ending(now),
  );
  if (finished) countEnd(finished.row);
  return finished ?? finishedByNow(deps, batch.id);
}

/** Writes the report of a batch of which nothing is pending, and gives what its end changes in its row. */
async function endingOf(
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
 * Makes what the collecting transaction ends a batch with. The report may be written before it: nothing is pending after it, so
 * the outcomes that the report is made of are stored and stay. A transaction that is refused, since another one has changed the
 * batch, is repeated with the same report.
 */
export function createEnding(deps: FinalizeDeps): EndBatch {
  let known: { of: string; ending: Promise<(now: BatchRow) => Partial<BatchRow>> } | undefined;
  return async (batch, rows) => {
    const { id, revision, traceparent: parent } = batch;
    const of = JSON.stringify([revision, rows]);
    if (known?.of !== of) {
      const options = { parent, attributes: { 'sluice.batch': id } };
      known = { of, ending: withSpan('sluice.finalize', options, () => endingOf(deps, batch, rows)) };
    }
    return (await known.ending)(batch);
  };
}

/** Counts a batch that has ended, by its row. */
export const countEnd = (row: BatchRow): void =>
  countBatch(row, row.state, (Date.parse(row.completedAt ?? '') - Date.parse(row.openedAt)) / 1000);

/** Another finisher was faster, or our own first try, whose answer was lost: the end may still have to be published. */
async function finishedByNow(deps: FinalizeDeps, id: string): Promise<Versioned<BatchRow> | undefined> {
  const found = await readBatch(deps.table, id);
  return found && isFinished(found.row.state) ? found : undefined;
}

/**
 * A report that cannot be made must not leave the batch open forever: it ends as `reportFailed`, and says why. A fault of
 * a service is thrown: it passes, and the result message comes again.
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

/** accepted = succeeded + dead + discarded + cancelled, by the counters and by the rows; a difference is an alert, never hidden. */
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

/**
 * Publishes the end of a batch's revision, and closes it: at least once, with the same message id each time, so that the
 * topic's duplicate detection takes the repeats. The listing is written before the end counts as announced: a redrive or
 * a deletion begins after that, and must not find its own change of the listing undone.
 */
export async function announce(deps: FinalizeDeps, batch: BatchRow, etag?: string): Promise<void> {
  if (!batch.announced) await withTrace(batch.traceparent, () => publishEnd(deps, batch, etag));
}

/**
 * Part of the announcement, not of the state change: a crash between the two repeats the alert, too. The first completion
 * decides: a redrive neither breaches the deadline nor heals it.
 */
function logDeadline({ id, workload, revision, completedAt = '', deadlineAt }: BatchRow): void {
  if (revision === 0 && completedAt > deadlineAt) log.warn('deadline-breached', { batch: id, workload, completedAt });
}

/** As `logDeadline`, of each revision; without the examples, which hold data of items. */
function logSuspect({ id, workload, revision, suspect }: BatchRow): void {
  if (suspect === undefined) return;
  const causes = Object.fromEntries(suspect.causes.map(({ cause, count }) => [cause, count]));
  log.warn('batch-suspect', { batch: id, workload, revision, causes });
}

/** What follows the event: the batch's line is written, its row changed, and its `open` row deleted. */
const CLOSING: Operations = { 'table.update': 2, 'table.delete': 1 };

async function publishEnd(deps: FinalizeDeps, batch: BatchRow, etag: string | undefined): Promise<void> {
  const { accepted: items, revision, state } = batch;
  const details = { state, counts: eventCounts(batch), revision };
  const messageId = `completed-${batch.id}-${revision}`;
  await publishBatchEvent(deps, batch, { type: 'BatchCompleted', items, details, messageId });
  log.info('batch-completed', { batch: batch.id, workload: batch.workload, ...details });
  logDeadline(batch);
  logSuspect(batch);
  // All that this delivery, request or repair has done for the batch and not recorded, up to the end.
  const operations = addOperations(deps.meter.unrecorded(), CLOSING);
  await indexBatch(deps.table, { ...batch, operations: addOperations(batch.operations, operations) });
  const end = (now: BatchRow): Partial<BatchRow> | undefined =>
    now.revision === revision && !now.announced
      ? { announced: true, operations: addOperations(now.operations, operations) }
      : undefined;
  const changed = await (etag === undefined
    ? changeBatch(deps.table, batch.id, end)
    : changeFrom(deps.table, { row: batch, etag }, end));
  if (changed) deps.meter.record(operations);
  await closeBatch(deps.table, batch);
}
