/**
 * Pauses a batch by changing only its state. Running chunks finish; the workers delete the waiting references that they
 * receive.
 */
import { type BatchRow, isFinished } from '../batches/batch-row.ts';
import { pausing } from '../batches/pause.ts';
import { Problem } from '../errors.ts';
import { publishPaused } from '../events/batch-events.ts';
import { tryPublish } from '../events/publish.ts';
import { isAlreadyPaused, type PauseWish, pauseBy } from '../pauses.ts';
import type { FinalizeDeps } from '../results/finalize.ts';
import { log } from '../telemetry/log.ts';
import { changeFor } from './change-batch.ts';

/**
 * Pauses a batch for an operator. If it is already paused and the wish adds nothing, the row is unchanged, and its event is
 * published again, in case the topic was unavailable before: an unavailable topic does not make a pause fail. Otherwise the
 * pause is replaced by one with another name, so that nobody who knows only the earlier one ends it.
 * @throws Problem 'not-found'; 'conflict' while the batch is being accepted or cancelled, and when it is finished.
 */
export async function pauseBatch(
  deps: Pick<FinalizeDeps, 'table' | 'gate' | 'publish' | 'addressOf'>,
  id: string,
  wish: PauseWish,
): Promise<BatchRow> {
  const { before, row } = await changeFor(deps, id, (row) => {
    if (row.paused !== undefined && isAlreadyPaused(row.paused, wish)) return row;
    if (row.state !== 'paused') refuse(row);
    const { since: at, ...pause } = pauseBy(wish, deps.gate.now());
    return pausing(row, { ...pause, at });
  });
  if (row !== before) log.info('batch-paused', { batch: id, workload: row.workload, ...row.paused });
  await tryPublish({ batch: id }, () => publishPaused(deps, row));
  return row;
}

function refuse({ id, state }: BatchRow): void {
  if (isFinished(state)) throw new Problem('conflict', `Batch ${id} is ${state}; there is nothing to pause.`);
  if (state === 'enqueueing')
    throw new Problem('conflict', `Batch ${id} is being accepted; it can be paused in a moment, once it is queued.`);
  if (state === 'cancelling') throw new Problem('conflict', `Batch ${id} is being cancelled; it cannot be paused.`);
}
