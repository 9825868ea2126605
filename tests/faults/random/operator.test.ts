import { expect, test } from 'vitest';
import type { BatchRow } from '../../../shared/batches/batch-row.ts';
import { createOperator } from './operator.ts';
import { type PlannedPause, planOf } from './plan.ts';
import type { ActiveRun } from './traffic.ts';

const PAUSE: PlannedPause = { at: 1, resumesAfterMs: 0, end: 'resumed', fault: undefined };

interface Answers {
  calls?: number;
  isPaused?: boolean;
  error?: Error;
}

/** An operator of a run that has made `calls` calls; `done` contains its commands. */
function start(pauses: readonly PlannedPause[], { calls = 1, isPaused = true, error }: Answers = {}) {
  const done: string[] = [];
  const plan = { ...planOf(1, { items: 10 }), cancelsAt: undefined, pauses };
  const run: ActiveRun = { slot: 'slot0', key: 'k', plan, calls, wakes: 0, faultedAt: 0 };
  const api = {
    pause: async () => {
      done.push('pause');
      if (error) throw error;
      return isPaused;
    },
    resume: async (_id: string, { once = false } = {}) => {
      done.push(once ? 'resume once' : 'resume');
      return true;
    },
    cancel: async () => {
      done.push('cancel');
      return true;
    },
  };
  return { operator: createOperator(api, run, 'b'), done, run };
}

test('ends pauses as planned, one after the other', async () => {
  const { operator, done } = start([PAUSE, { ...PAUSE, end: 'resumedOnce' }, { ...PAUSE, end: 'cancelled' }]);
  expect(await operator.done()).toEqual({ isCancelled: true, paused: 3, wrong: [] });
  expect(done).toEqual(['pause', 'resume', 'pause', 'resume once', 'pause', 'cancel']);
});

test('injects the fault of a pause at a call after its end was requested', async () => {
  const fault = { kind: 'cutStorage', instance: 0, ms: 1, at: 3 } as const;
  const { operator, run } = start([{ ...PAUSE, fault }], { calls: 7 });
  await operator.done();
  expect(run.next).toEqual({ ...fault, at: 10 });
});

test('does not end a pause that was refused, or is later than the end of the run', async () => {
  const refused = start([PAUSE], { isPaused: false });
  expect(await refused.operator.done()).toEqual({ isCancelled: false, paused: 0, wrong: [] });
  expect(refused.done).toEqual(['pause']);
  const late = start([{ ...PAUSE, at: 2 }]);
  expect(await late.operator.done()).toEqual({ isCancelled: false, paused: 0, wrong: [] });
  expect(late.done).toEqual([]);
});

test('resumes a batch that was not paused by the plan', async () => {
  const { operator, done } = start([]);
  operator.look({ state: 'running' } as BatchRow);
  operator.look({ state: 'paused' } as BatchRow);
  await operator.done();
  expect(done).toEqual(['resume']);
});

test('reports a command that fails', async () => {
  const { operator } = start([PAUSE], { error: new Error('404') });
  expect(await operator.done()).toMatchObject({ wrong: ['Error: 404'] });
});
