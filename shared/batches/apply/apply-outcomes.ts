/** The collecting transaction: ends chunks, inserts their follow-ups, and changes the counters in one step. */
import { isDeepStrictEqual } from 'node:util';
import { charge } from '../../cost/account.ts';
import { LOST_RACE, retryLostRace } from '../../storage/lost-race.ts';
import { isLostRace, type Table } from '../../storage/table.ts';
import { log } from '../../telemetry/log.ts';
import { TRANSACTION } from '../charge.ts';
import { etagIn, rowOf } from '../ledger.ts';
import {
  type Applied,
  type ApplyOptions,
  type FinishBatch,
  type Planned,
  planApply,
  type ReportedOutcome,
  replaceBatch,
} from './plan-apply.ts';
import { type ApplyRead, requireForApply } from './read-for-apply.ts';

/**
 * Moves chunks from pending to done, inserts the rows of their follow-ups, and changes the counters: one transaction
 * for at most 98 rows. Chunks that are already done count as duplicates and are dropped; their follow-ups that are
 * still pending are returned, so that their references are put again.
 * @throws BatchGoneError
 */
export const applyOutcomes = (
  table: Table,
  id: string,
  outcomes: ReportedOutcome[],
  options: ApplyOptions,
): Promise<Applied> => {
  let refused: (Planned & { stored: () => void }) | undefined;
  let { known } = options;
  return retryLostRace(rowOf(id), async () => {
    const chunks = outcomes.map(({ chunk }) => chunk);
    const read = known ?? (await requireForApply(table, id, chunks));
    known = undefined;
    if (refused && isWritten(read, refused.applied)) {
      refused.stored();
      return asRead(read, refused.applied);
    }
    const { operations: spent, stored } = charge(TRANSACTION);
    const plan = await withFinish(planApply(read, outcomes, { ...options, spent }), read, options.finish);
    try {
      const done = await table.submitTransaction(plan.actions);
      stored();
      return { ...plan.applied, etag: etagIn(done) };
    } catch (error) {
      if (!isLostRace(error)) throw error;
      log.debug('ledger-race', { batch: id });
      refused = { ...plan, stored };
      return LOST_RACE;
    }
  });
};

/**
 * Returns whether a refused transaction has taken effect and only its response was lost: then all chunks that it ended
 * have the rows that it wrote, since a done row never changes. A transaction of repeats alone writes nothing but the
 * batch row.
 */
function isWritten(read: ApplyRead, { batch, done }: Omit<Applied, 'etag'>): boolean {
  if (done.length === 0) return isSame(read.batch.row, batch);
  return done.every((row) => isSame(read.chunks.get(row.chunk)?.row, row));
}

/** Compares rows as they are stored: an absent column equals an undefined one. */
const isSame = (a: unknown, b: unknown): boolean => isDeepStrictEqual(stored(a), stored(b));
const stored = (row: unknown): unknown => (row === undefined ? undefined : JSON.parse(JSON.stringify(row)));

/** The batch row may have changed since, and other calls may have added chunks. */
function asRead({ batch }: ApplyRead, { allRows: _older, ...applied }: Omit<Applied, 'etag'>): Applied {
  return { ...applied, batch: batch.row, etag: batch.etag };
}

/** Finishes the batch if all its rows are known; those of a larger batch are read when its last chunk is done. */
async function withFinish(plan: Planned, read: ApplyRead, finish: FinishBatch | undefined): Promise<Planned> {
  const { batch, allRows, done } = plan.applied;
  if (finish === undefined || allRows === undefined || done.length === 0 || batch.chunksDone !== batch.chunksTotal)
    return plan;
  const fields = await finish(batch, allRows);
  if (fields === undefined) return plan;
  const finished = { ...batch, ...fields };
  const [, ...others] = plan.actions;
  const applied: Planned['applied'] = { ...plan.applied, batch: finished, isBatchFinished: true };
  return { ...plan, actions: [replaceBatch(read, finished), ...others], applied };
}
