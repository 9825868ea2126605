import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Core } from '../../../../src/durable/core.ts';
import { createActivityWork } from '../../../../src/durable/dispatch/activity-work.ts';
import { WorkerLostError } from '../../../../src/durable/errors.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

let logs: string[];

/** A store that is full and refuses all writes. */
function createFullCore(delays: 'push' | 'azure'): Core {
  logs = [];
  const fail = (): never => {
    throw new Error('database or disk is full');
  };
  return {
    options: { delays, log: (_level: string, message: string) => logs.push(message) },
    config: { activityVisibilityTimeoutMs: 1_000 },
    tasks: { get: () => ({ name: 'work', input: '', instanceId: '1', taskId: 0 }), defer: fail },
    isRegistered: () => true,
    isClosed: () => false,
    now: () => 0,
    change: fail,
  } as unknown as Core;
}

test.each([
  ['returns', async () => undefined],
  ['is lost', () => Promise.reject(new WorkerLostError("instance 'host-1' is gone"))],
])('an activity that %s while the store cannot be written is retried after a delay', async (_, invoke) => {
  const run = createActivityWork(createFullCore('push')).run(1, invoke);
  await vi.advanceTimersByTimeAsync(100);
  await run;
  expect(logs.at(-1)).toBe('An activity will run again: database or disk is full');
});

test('a lease that cannot be renewed is logged, and the activity continues', async () => {
  const core = createFullCore('azure');
  const { defer } = core.tasks;
  core.tasks.defer = () => true;
  const answer = Promise.withResolvers<undefined>();
  const run = createActivityWork(core).run(1, () => answer.promise);
  core.tasks.defer = defer;
  await vi.advanceTimersByTimeAsync(500);
  expect(logs).toEqual(["The lease of activity 'work' was not renewed: database or disk is full"]);
  answer.resolve(undefined);
  await vi.advanceTimersByTimeAsync(100);
  await run;
});
