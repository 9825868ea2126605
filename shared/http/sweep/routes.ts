import { z } from 'zod';
import { sweep } from '../../sweep/sweep.ts';
import { SWEEP_ACTIONS, type SweepAction, type SweepCounts } from '../../sweep/sweep-run.ts';
import { json } from '../edge/answers.ts';
import { numberText } from '../edge/notes.ts';
import { jsonAnswer, type Route } from '../edge/route.ts';
import { count } from '../edge/schemas.ts';

/** Below the 230 s after which the platform's front end cuts a request, with room for the last slice to finish. */
const BUDGET_MS = 120_000;

export const sweepAnswerSchema = z.object({
  open: count.describe('Open batches that were checked'),
  ...(Object.fromEntries(SWEEP_ACTIONS.map((action) => [action, count])) as Record<SweepAction, typeof count>),
  done: z.array(z.string()).describe('The repairs as text, one per kind; empty if there was nothing to repair'),
});

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
  SWEEP_ACTIONS.filter((action) => counts[action] > 0).map((action) => numberText(counts[action], ...TEXTS[action]));

export const SWEEP_ROUTES = [
  {
    name: 'run-sweep',
    method: 'POST',
    path: 'sweep',
    audience: ['operator'],
    summary: 'Sweep now: repair lost work; the last step of a deployment',
    answers: [jsonAnswer(200, 'The actions of the sweep', sweepAnswerSchema)],
    problems: [],
    wakes: true,
    handler: (app) => async (_request, drains) => {
      const counts = await sweep(app.sweepDeps(drains), BUDGET_MS);
      return json({ ...counts, done: sweepTexts(counts) });
    },
  },
] as const satisfies readonly Route[];
