import type { BatchRow } from '../batches/batch-row.ts';
import { CLOSING, charged, LAST_UPDATE } from '../batches/charge.ts';
import { changeFrom, requireBatch } from '../batches/ledger.ts';
import { indexBatch } from '../batches/listing/index-rows.ts';
import { deleteOpenRow } from '../batches/listing/open-rows.ts';
import { publishBatchEvent } from '../events/batch-events.ts';
import type { Services } from '../queues/services.ts';
import { log } from '../telemetry/log.ts';
import { withTrace } from '../telemetry/trace.ts';

/**
 * Publishes the end of a batch's revision, and closes it: at least once, with the same message id each time, so that the
 * topic's duplicate detection drops the repeats. The listing is written before the end counts as announced: a redrive or
 * a deletion begins after that, and its own change of the listing must not be undone.
 */
export async function announce(
  deps: Pick<Services, 'publish' | 'addressOf' | 'table'>,
  batch: BatchRow,
  etag?: string,
): Promise<void> {
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

async function publishCompleted(
  deps: Pick<Services, 'publish' | 'addressOf' | 'table'>,
  batch: BatchRow,
  etag: string | undefined,
): Promise<void> {
  const { accepted, succeeded, dead, discarded, cancelled, retried, duplicatesSeen, revision, state } = batch;
  const counts = { accepted, succeeded, dead, discarded, cancelled, retried, duplicatesSeen };
  const details = { state, counts, revision };
  const messageId = `completed-${batch.id}-${revision}`;
  await publishBatchEvent(deps, batch, { type: 'BatchCompleted', items: accepted, details, messageId });
  log.info('batch-completed', { batch: batch.id, workload: batch.workload, ...details });
  logDeadline(batch);
  logSuspect(batch);
  await indexBatch(deps.table, charged(batch, CLOSING).row);
  const known = etag === undefined ? await requireBatch(deps.table, batch.id) : { row: batch, etag };
  const end = (now: BatchRow) => (now.revision === revision && !now.announced ? { announced: true } : undefined);
  await changeFrom(deps.table, known, end, LAST_UPDATE);
  await deleteOpenRow(deps.table, batch);
}
