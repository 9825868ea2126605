import type { SweepAction, SweepCounts } from '../../sweep/counts.ts';
import { numberText } from '../edge/notes.ts';

/** What each count of a sweep means, singular and plural. */
const TEXTS: Readonly<Record<SweepAction, readonly [one: string, many: string]>> = {
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

/** Returns what a sweep did, one line per kind of repair; empty if it repaired nothing. */
export const sweepTexts = (counts: SweepCounts): string[] =>
  Object.entries(TEXTS).flatMap(([action, [one, many]]) => {
    const count = counts[action as SweepAction];
    return count === 0 ? [] : [numberText(count, one, many)];
  });

/** Adds to the counts of a sweep what they mean. */
export const sweepAnswer = (counts: SweepCounts) => ({ ...counts, done: sweepTexts(counts) });
