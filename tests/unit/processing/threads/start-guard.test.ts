import { expect, test } from 'vitest';
import { ThreadStartError } from '../../../../shared/processing/threads/errors.ts';
import { createStartGuard } from '../../../../shared/processing/threads/processor.ts';

/** A guard whose runs are counted. */
function world() {
  const clock = { nowMs: 0 };
  const guard = createStartGuard(() => clock.nowMs);
  let runs = 0;
  const run = (workload: string, error?: Error): Promise<string> =>
    guard(workload, async () => {
      runs += 1;
      if (error) throw error;
      return 'done';
    });
  return { clock, run, runs: () => runs };
}

const error = new ThreadStartError('DATABASE_URL is not set');

test('after threads failed to start, chunks of the workload are refused for five seconds with the same error', async () => {
  const { clock, run, runs } = world();
  await expect(run('billing', error)).rejects.toBe(error);

  clock.nowMs = 4_999;
  await expect(run('billing')).rejects.toBe(error);
  expect(await run('media')).toBe('done');
  expect(runs()).toBe(2);

  clock.nowMs = 5_000;
  expect(await run('billing')).toBe('done');
});

test('any other failure refuses nothing', async () => {
  const { run } = world();
  await expect(run('billing', new Error('closed'))).rejects.toThrow('closed');

  expect(await run('billing')).toBe('done');
});
