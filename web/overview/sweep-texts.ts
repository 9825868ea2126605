import type { SweepAnswer } from '../api/types.ts';
import { formatNumberOf } from '../format.ts';

type Action = Exclude<keyof SweepAnswer, 'open'>;

/** What each count of a sweep counts, for one and for many. */
const TEXTS: Readonly<Record<Action, readonly [one: string, many: string]>> = {
  continued: ['upload continued', 'uploads continued'],
  announced: ['end of a batch announced', 'ends of batches announced'],
  finalized: ['batch finalized', 'batches finalized'],
  cancelled: ['cancellation completed', 'cancellations completed'],
  resent: ['batch got its lost messages again', 'batches got their lost messages again'],
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

/** What a sweep did, a line for each kind of repair; empty: nothing was to do. */
export const sweepTexts = (answer: SweepAnswer): string[] =>
  Object.entries(answer).flatMap(([action, count]) => {
    if (action === 'open' || count === 0) return [];
    // A newer app may count what this page does not know.
    const [one, many] = TEXTS[action as Action] ?? [action, action];
    return [formatNumberOf(count, one, many)];
  });
