import type { SweepAnswer } from '../api/types.ts';
import { formatNumberOf } from '../format.ts';

type Action = Exclude<keyof SweepAnswer, 'open'>;

/** The meaning of each count of a sweep, singular and plural. */
const TEXTS: Readonly<Record<Action, readonly [one: string, many: string]>> = {
  continued: ['upload continued', 'uploads continued'],
  announced: ['end of a batch announced', 'ends of batches announced'],
  finalized: ['batch finalized', 'batches finalized'],
  cancelled: ['cancellation completed', 'cancellations completed'],
  resent: ['batch with lost messages repaired', 'batches with lost messages repaired'],
  deleted: ['deletion continued', 'deletions continued'],
  closed: ['ended batch closed', 'ended batches closed'],
  missedWakes: ['missed wake found', 'missed wakes found'],
  wokenByTimer: ['delayed queue woken', 'delayed queues woken'],
  restarted: ['drain restarted', 'drains restarted'],
  takenOver: ['queue taken over from a stuck drain', 'queues taken over from stuck drains'],
  startFailed: ['drain could not be started', 'drains could not be started'],
  expiredBatches: ['expired batch removed', 'expired batches removed'],
  expiredKeys: ['expired idempotency key removed', 'expired idempotency keys removed'],
  expiredActions: ['expired action removed from the audit log', 'expired actions removed from the audit log'],
  purgedDrains: ['history of a drain purged', 'histories of drains purged'],
  orphanPayloads: ['orphaned payload removed', 'orphaned payloads removed'],
  failed: ['step failed: see the logs', 'steps failed: see the logs'],
};

/** Returns the actions of a sweep, one line per kind of repair; empty if it repaired nothing. */
export const sweepTexts = (answer: SweepAnswer): string[] =>
  Object.entries(answer).flatMap(([action, count]) => {
    if (action === 'open' || count === 0) return [];
    // A newer app may have counts that this page does not know.
    const [one, many] = TEXTS[action as Action] ?? [action, action];
    return [formatNumberOf(count, one, many)];
  });
