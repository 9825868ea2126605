import type { BatchRow } from '../batches/batch-row.ts';
import { changeBatch, changeFrom } from '../batches/ledger.ts';
import { indexBatch } from '../batches/listing/index-rows.ts';
import { deleteOpenRow } from '../batches/listing/open-rows.ts';
import { addOperations, type Operations } from '../contract/operations.ts';
import type { Meter } from '../cost/meter.ts';
import { type BatchEventDeps, publishBatchEvent } from '../events/batch-events.ts';
import type { Table } from '../storage/table.ts';
import { log } from '../telemetry/log.ts';
import { withTrace } from '../telemetry/trace.ts';

export interface AnnounceDeps extends BatchEventDeps {
  table: Table;
  meter: Pick<Meter, 'record' | 'unrecorded'>;
}

/**
 * Publishes the end of a batch's revision, and closes it: at least once, with the same message id each time, so that the
 * topic's duplicate detection drops the repeats. The listing is written before the end counts as announced: a redrive or
 * a deletion begins after that, and its own change of the listing must not be undone.
 */
export async function announce(deps: AnnounceDeps, batch: BatchRow, etag?: string): Promise<void> {
  if (!batch.announced) await withTrace(batch.traceparent, () => publishCompleted(deps, batch, etag));
}

/**
 * Called with the announcement, not with the state change, so that the alert is repeated after a crash between the two.
 * The first completion decides: a redrive neither breaches the deadline nor repairs a breach.
 */
function logDeadline({ id, workload, revision, completedAt = '', deadlineAt }: BatchRow): void {
  if (revision === 0 && completedAt > deadlineAt) log.warn('deadline-breached', { batch: id, workload, completedAt });
}

/** Like `logDeadline`, but for each revision; without the examples, which contain data of items. */
function logSuspect({ id, workload, revision, suspect }: BatchRow): void {
  if (suspect === undefined) return;
  const causes = Object.fromEntries(suspect.causes.map(({ cause, count }) => [cause, count]));
  log.warn('batch-suspect', { batch: id, workload, revision, causes });
}

/** The counts in the event about the end of a batch. */
const countsOf = ({ accepted, succeeded, dead, discarded, cancelled, retried, duplicatesSeen }: BatchRow) => ({
  ...{ accepted, succeeded, dead, discarded, cancelled, retried, duplicatesSeen },
});

/** Operations after the event: the batch's line is written, its row changed, and its `open` row deleted. */
const CLOSING: Operations = { 'table.update': 2, 'table.delete': 1 };

async function publishCompleted(deps: AnnounceDeps, batch: BatchRow, etag: string | undefined): Promise<void> {
  const { accepted: items, revision, state } = batch;
  const details = { state, counts: countsOf(batch), revision };
  const messageId = `completed-${batch.id}-${revision}`;
  await publishBatchEvent(deps, batch, { type: 'BatchCompleted', items, details, messageId });
  log.info('batch-completed', { batch: batch.id, workload: batch.workload, ...details });
  logDeadline(batch);
  logSuspect(batch);
  // All unrecorded operations of this delivery, request or repair for the batch, up to the end.
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
  await deleteOpenRow(deps.table, batch);
}
