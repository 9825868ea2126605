import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createOpenRounds } from '../../../shared/drain/open-rounds.ts';
import { emptyCounts, type WorkCounts } from '../../../shared/gate/planning/slice-result.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A round that has started, and ends when the test ends it. */
function begun() {
  const rounds = createOpenRounds();
  const { promise, resolve, reject } = Promise.withResolvers<WorkCounts>();
  const run = rounds.track(() => promise)([]);
  const log: string[] = [];
  return { rounds, run, resolve, reject, log };
}

test('waits until all rounds have ended, whether they succeed or fail', async () => {
  for (const how of ['resolve', 'reject'] as const) {
    const { rounds, run, log, ...end } = begun();
    run.then(
      () => log.push('round'),
      () => log.push('round'),
    );
    const ended = rounds.ended(4_000).then(() => log.push('ended'));
    await vi.advanceTimersByTimeAsync(1_000);
    end[how](how === 'resolve' ? emptyCounts() : (new Error('no') as never));

    await ended;

    expect(log).toEqual(['round', 'ended']);
  }
});

test('waits no longer than the limit, and not at all if no round is running', async () => {
  const { rounds, log } = begun();
  const ended = rounds.ended(4_000).then(() => log.push('ended'));
  await vi.advanceTimersByTimeAsync(4_000);

  await ended;
  await createOpenRounds().ended(4_000);

  expect(log).toEqual(['ended']);
});
