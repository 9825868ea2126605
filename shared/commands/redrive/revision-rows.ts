/** The chunk rows that open a revision, of an upload or of a redrive. */
import type { BatchRow } from '../../batches/batch-row.ts';
import type { ChunkRow } from '../../batches/chunk-row.ts';
import { redriveChunkId } from '../../contract/names.ts';
import type { Reference } from '../../contract/reference.ts';
import { type ContinueDeps, continueIntake, enterQueues, rowsOfIndex } from '../../intake/continue-intake.ts';
import { openChunkIndex } from '../../intake/store/chunk-index.ts';
import { appliedRedrive, type DeadLetterDeps } from './current-dead.ts';
import { discarded } from './discard.ts';
import { chunksOf, isDiscard, type StoredRedrive } from './redrive-blob.ts';

/**
 * Creates the rows of a redrive from number `first` on (default 0), pending unless it is a discard: a pure function of the batch
 * and the stored selection.
 */
export function* rowsOfRedrive(batch: BatchRow, { blob, redrive }: StoredRedrive, first = 0): Generator<ChunkRow> {
  const trace = batch.traceparent === undefined ? {} : { traceparent: batch.traceparent };
  let position = 0;
  for (const { firstItem, lastItem: _last, steps: _steps, dueAt, items, ...place } of chunksOf(redrive)) {
    const number = position++;
    if (number < first) continue;
    const chunk = redriveChunkId(redrive.revision, number);
    const reference: Reference = {
      v: 1,
      workload: batch.workload,
      version: redrive.version,
      batch: batch.id,
      chunk,
      kind: 'retries',
      container: 'redrives',
      blob,
      ...place,
      items,
      firstItem,
      // Not the time when the selection was stored: lateness is counted from here, and a rate delays chunks on purpose.
      enqueuedAt: dueAt ?? batch.openedAt,
      ...trace,
    };
    const due = dueAt === undefined ? {} : { dueAt };
    const row: ChunkRow = { batch: batch.id, chunk, state: 'pending', items, reference, ...due };
    yield isDiscard(redrive) ? discarded(row, batch.openedAt) : row;
  }
}

/**
 * Reads all rows with which the batch's present revision began.
 * @throws if the blob that contains them is missing.
 */
export async function* rowsOfRevision(deps: DeadLetterDeps, batch: BatchRow): AsyncGenerator<ChunkRow> {
  if (batch.revision === 0) yield* rowsOfIndex(batch, await openChunkIndex(deps, batch));
  else yield* rowsOfRedrive(batch, await storedRedrive(deps, batch));
}

async function storedRedrive(deps: DeadLetterDeps, batch: BatchRow): Promise<StoredRedrive> {
  const stored = await appliedRedrive(deps, batch, batch.revision);
  if (!stored) throw new Error(`The redrive of batch ${batch.id}, revision ${batch.revision}, is missing.`);
  return stored;
}

/** Puts a batch in `enqueueing`, of any revision, into its queues, or a part of it until `untilMs` (service time). */
export async function continueEnqueueing(deps: ContinueDeps, batch: BatchRow, untilMs?: number): Promise<BatchRow> {
  const limit = untilMs === undefined ? {} : { untilMs };
  if (batch.revision === 0) return continueIntake(deps, batch, limit);
  const stored = await storedRedrive(deps, batch);
  return enterQueues(deps, batch, { rows: (first) => rowsOfRedrive(batch, stored, first), ...limit });
}
