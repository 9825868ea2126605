/** The end of a batch: merge the partial aggregates in chunk order, write the report, settle the row, tell the world. */
import type { ContainerClient } from '@azure/storage-blob';
import { type BatchRow, type BatchState, isSettled, pendingItems } from '../batches/batch-row.ts';
import type { ChunkRow } from '../batches/chunk-row.ts';
import { indexBatch } from '../batches/index-rows.ts';
import { changeBatch, chunkRows, readBatch } from '../batches/ledger.ts';
import { closeBatch } from '../batches/open-rows.ts';
import type { Table } from '../batches/table.ts';
import { addOperations, type Operations } from '../contract/operations.ts';
import type { Meter } from '../cost/meter.ts';
import { log } from '../telemetry/log.ts';
import type { EnqueueDeps } from '../wake/enqueue.ts';
import type { QueueAddress } from '../workload/registry.ts';
import { latencies } from './latency.ts';
import { ReportTooLargeError, writeReport } from './report.ts';

export interface FinalizeDeps extends EnqueueDeps {
  table: Table;
  container: (name: string) => ContainerClient;
  meter: Pick<Meter, 'measure'>;
  visibilitySeconds: number;
  /** The address of a batch's first queue, for events about the batch. */
  addressOf: (batch: BatchRow) => QueueAddress | undefined;
}

/**
 * Settles a batch of which nothing is pending. Everything in it is a pure function of the rows or decided by ETag, so
 * that it may be repeated at any point: report (create-only) → state → BatchCompleted → announced → index.
 */
export async function finalize(deps: FinalizeDeps, id: string): Promise<void> {
  const { value: row, operations } = await deps.meter.measure(() => settleBatch(deps, id));
  if (row) await announce(deps, row, operations);
}

async function settleBatch(deps: FinalizeDeps, id: string): Promise<BatchRow | undefined> {
  const rows: ChunkRow[] = [];
  for await (const { row } of chunkRows(deps.table, id)) rows.push(row);
  if (rows.some((row) => row.state === 'pending')) return undefined;
  const found = await readBatch(deps.table, id);
  if (!found || isSettled(found.row.state)) return undefined;
  // The rows were read first: if the batch knows of more chunks than they were, something was added meanwhile.
  const { chunksDone, chunksTotal } = found.row;
  return chunksDone === rows.length && chunksTotal === rows.length ? endBatch(deps, found.row, rows) : undefined;
}

async function endBatch(deps: FinalizeDeps, batch: BatchRow, rows: ChunkRow[]): Promise<BatchRow | undefined> {
  checkConservation(batch, rows);
  const problem = await reportProblem(deps, batch, rows);
  const completedAt = new Date(deps.gate.now()).toISOString();
  const row = await changeBatch(deps.table, batch.id, (now) =>
    isSettled(now.state) || now.revision !== batch.revision
      ? undefined
      : {
          state: finalState(now),
          announced: false,
          completedAt,
          ...latencies(now, rows),
          ...(problem === undefined
            ? { reportRevision: now.revision, reportProblem: undefined }
            : { reportProblem: problem }),
        },
  );
  if (row && completedAt > row.deadlineAt)
    log.warn('deadline-breached', { batch: row.id, workload: row.workload, completedAt });
  return row;
}

/** A report over its limit must not leave the batch open for ever: it is settled without one, and says why. */
async function reportProblem(deps: FinalizeDeps, batch: BatchRow, rows: ChunkRow[]): Promise<string | undefined> {
  try {
    await writeReport(deps, batch, rows);
    return undefined;
  } catch (error) {
    if (!(error instanceof ReportTooLargeError)) throw error;
    log.error('report-too-large', { batch: batch.id, error });
    return error.message;
  }
}

const finalState = (row: BatchRow): BatchState => {
  if (row.cancelled > 0) return 'cancelled';
  return row.dead > 0 ? 'completedWithDeadLetters' : 'completed';
};

/** accepted = succeeded + dead + cancelled, by the counters and by the rows; a difference is an alert, never hidden. */
function checkConservation(batch: BatchRow, rows: ChunkRow[]): void {
  const sum = (pick: (row: ChunkRow) => number): number => rows.reduce((total, row) => total + pick(row), 0);
  const succeeded = sum((row) => row.header?.counts.succeeded ?? 0);
  const cancelled = sum((row) => row.header?.counts.cancelled ?? 0);
  if (pendingItems(batch) === 0 && succeeded === batch.succeeded && cancelled === batch.cancelled) return;
  const { id, accepted, dead } = batch;
  log.error('conservation-mismatch', {
    batch: id,
    accepted,
    dead,
    succeeded: batch.succeeded,
    cancelled: batch.cancelled,
    rows: { succeeded, cancelled },
  });
}

/**
 * Tells the end of a batch's revision, and closes it: at least once, with the same message id each time, so that the
 * topic's duplicate detection takes the repeats. The listing is written before the end counts as announced: a redrive or
 * a deletion begins after that, and must not find its own change of the listing undone.
 */
export async function announce(deps: FinalizeDeps, batch: BatchRow, operations: Operations = {}): Promise<void> {
  if (batch.announced) return;
  const address = deps.addressOf(batch);
  const { accepted, succeeded, dead, cancelled, retried, duplicatesSeen, revision, state } = batch;
  const details = { state, counts: { accepted, succeeded, dead, cancelled, retried, duplicatesSeen }, revision };
  const messageId = `completed-${batch.id}-${revision}`;
  if (address)
    await deps.publish(address, { type: 'BatchCompleted', batch: batch.id, items: accepted, details }, { messageId });
  log.info('batch-completed', { batch: batch.id, workload: batch.workload, ...details });
  await indexBatch(deps.table, { ...batch, operations: addOperations(batch.operations, operations) });
  await changeBatch(deps.table, batch.id, (now) =>
    now.revision === revision && !now.announced
      ? { announced: true, operations: addOperations(now.operations, operations) }
      : undefined,
  );
  await closeBatch(deps.table, batch);
}
