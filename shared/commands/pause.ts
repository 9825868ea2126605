/**
 * Pauses a batch by changing only its state. Running chunks finish; the workers delete the waiting references that they
 * receive.
 */
import { type BatchRow, isFinished } from '../batches/batch-row.ts';
import { pausing } from '../batches/pause.ts';
import { resultsQueueName } from '../contract/names.ts';
import { Problem } from '../errors.ts';
import type { FinalizeDeps } from '../results/finalize.ts';
import { log } from '../telemetry/log.ts';
import { publishPaused } from '../wake/events/batch-events.ts';
import { tryPublish } from '../wake/events/publish.ts';
import { leaveTo } from '../wake/gate/spending.ts';
import { changeFor } from './change-batch.ts';

/**
 * Pauses a batch for an operator. A batch that is already paused is returned unchanged. Its event is published again,
 * in case the topic was unavailable before: an unavailable topic does not make a pause fail.
 * @throws Problem 'not-found'; 'conflict' while the batch is being accepted or cancelled, and when it is finished.
 */
export async function pauseBatch(
  deps: Pick<FinalizeDeps, 'table' | 'gate' | 'publish' | 'addressOf' | 'meter' | 'spending'>,
  id: string,
  reason: string,
): Promise<BatchRow> {
  const { before, row } = await changeFor(deps, id, (row) => {
    if (row.state === 'paused') return row;
    refuse(row);
    return pausing(row, { by: 'operator', reason, at: new Date(deps.gate.now()).toISOString() });
  });
  if (row !== before) log.info('batch-paused', { batch: id, workload: row.workload, ...row.paused });
  await tryPublish({ batch: id }, () => publishPaused(deps, row));
  leaveTo(resultsQueueName(row.workload), deps);
  return row;
}

function refuse({ id, state }: BatchRow): void {
  if (isFinished(state)) throw new Problem('conflict', `Batch ${id} is ${state}; there is nothing to pause.`);
  if (state === 'accepting')
    throw new Problem('conflict', `Batch ${id} is being accepted; it can be paused in a moment, once it is queued.`);
  if (state === 'cancelling') throw new Problem('conflict', `Batch ${id} is being cancelled; it cannot be paused.`);
}
