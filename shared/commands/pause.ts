/** Pausing: the state alone is changed. What runs comes to its end; what waits is deleted by the workers that meet it. */
import { type BatchRow, isFinished, toBatchEntity } from '../batches/batch-row.ts';
import { readBatch, rowOf } from '../batches/ledger.ts';
import { pausing } from '../batches/pause.ts';
import { Problem } from '../errors.ts';
import type { FinalizeDeps } from '../results/finalize.ts';
import { LOST_RACE, retryLostRace } from '../storage/lost-race.ts';
import { writeRow } from '../storage/write-row.ts';
import { log } from '../telemetry/log.ts';

/**
 * Pauses a batch for an operator. One that is paused already is answered as it is.
 * @throws Problem 'not-found'; 'conflict' while the batch is accepted or cancelled, and when it is finished.
 */
export const pauseBatch = (deps: Pick<FinalizeDeps, 'table' | 'gate'>, id: string, reason: string): Promise<BatchRow> =>
  retryLostRace(rowOf(id), async () => {
    const found = await readBatch(deps.table, id);
    if (!found) throw new Problem('not-found', `There is no batch "${id}".`);
    const { row, etag } = found;
    if (row.state === 'paused') return row;
    refuse(row);
    const at = new Date(deps.gate.now()).toISOString();
    const next = pausing(row, { by: 'operator', reason, at });
    if ((await writeRow(deps.table, toBatchEntity(next), etag)) === undefined) return LOST_RACE;
    log.info('batch-paused', { batch: id, workload: row.workload, ...next.paused });
    return next;
  });

function refuse({ id, state }: BatchRow): void {
  if (isFinished(state)) throw new Problem('conflict', `Batch ${id} is ${state}; there is nothing to pause.`);
  if (state === 'accepting')
    throw new Problem('conflict', `Batch ${id} is being accepted; it can be paused in a moment, once it is queued.`);
  if (state === 'cancelling') throw new Problem('conflict', `Batch ${id} is being cancelled; it cannot be paused.`);
}
