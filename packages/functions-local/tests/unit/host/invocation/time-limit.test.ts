import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FunctionTimeoutAbortError } from '../../../../src/host/errors.ts';
import { createTimeLimit, type TimeLimit } from '../../../../src/host/invocation/time-limit.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const LIMIT_MS = 10_000;
const GRACE_MS = 2_000;

const endless = () => new Promise<never>(() => undefined);
const apply = <T>(limit: TimeLimit, run: () => Promise<T>, invocationId = 'id-1') =>
  limit.apply(run, { name: 'work', invocationId });

/** Reports the id when the process must end. */
function watchEnd(limit: TimeLimit) {
  const end = vi.fn();
  void limit.exceeded.then(end);
  return end;
}

describe('an invocation that exceeds functionTimeout', () => {
  it('fails, and its process must end when the grace period is over', async () => {
    // Prepare
    const limit = createTimeLimit(LIMIT_MS);
    const end = watchEnd(limit);
    const failed = expect(apply(limit, endless)).rejects.toThrow(
      'Timeout value of 00:00:10 was exceeded by function: Functions.work',
    );

    // Act
    await vi.advanceTimersByTimeAsync(LIMIT_MS);
    await failed;
    await vi.advanceTimersByTimeAsync(GRACE_MS - 1);
    const before = end.mock.calls.length;
    await vi.advanceTimersByTimeAsync(1);

    // Assess
    expect(before).toBe(0);
    expect(end).toHaveBeenCalledExactlyOnceWith('id-1');
  });

  it.each(['resolves', 'rejects'] as const)('keeps its process if it %s in the grace period', async (how) => {
    const limit = createTimeLimit(LIMIT_MS);
    const end = watchEnd(limit);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const failed = expect(apply(limit, () => promise)).rejects.toThrow('Timeout value');
    await vi.advanceTimersByTimeAsync(LIMIT_MS + GRACE_MS - 1);
    await failed;
    if (how === 'resolves') resolve();
    else reject(new Error('late'));
    await vi.advanceTimersByTimeAsync(GRACE_MS);
    expect(end).not.toHaveBeenCalled();
  });
});

describe('the other invocations of its process', () => {
  it('fail at once when the process ends, whether they run or start later', async () => {
    const limit = createTimeLimit(LIMIT_MS);
    const run = vi.fn(endless);
    const running = expect(apply(limit, endless)).rejects.toThrow(FunctionTimeoutAbortError);
    limit.abort();
    await running;
    await expect(apply(limit, run)).rejects.toThrow('Worker channel is shutting down. Aborting function.');
    expect(run).not.toHaveBeenCalled();
  });

  it('that ended before keep their results', async () => {
    const limit = createTimeLimit(LIMIT_MS);
    const done = apply(limit, async () => 'done');
    await done;
    limit.abort();
    expect(await done).toBe('done');
  });
});

it('without functionTimeout, an invocation may run indefinitely', async () => {
  const limit = createTimeLimit();
  const end = watchEnd(limit);
  const { promise, resolve } = Promise.withResolvers<string>();
  const running = apply(limit, () => promise);
  await vi.advanceTimersByTimeAsync(24 * 3_600_000);
  resolve('done');
  expect(await running).toBe('done');
  expect(end).not.toHaveBeenCalled();
});
