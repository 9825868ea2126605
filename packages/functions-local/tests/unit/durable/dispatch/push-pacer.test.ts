import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PollResult } from '../../../../src/durable/dispatch/pacer.ts';
import { createPushPacer } from '../../../../src/durable/dispatch/push-pacer.ts';

const nothing: PollResult = { found: false, full: false, nextDueAt: undefined };

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

test('polls once for many wakes, and again when the next work is due', () => {
  const poll = vi.fn((): PollResult => ({ ...nothing, nextDueAt: Date.now() < 500 ? 500 : undefined }));
  const pacer = createPushPacer(poll);
  pacer.start();
  pacer.wake();
  pacer.wake();
  vi.advanceTimersByTime(1);
  expect(poll).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1_000);
  expect(poll).toHaveBeenCalledTimes(2);
  pacer.stop();
});

test('splits a wait that is longer than the maximum of a timer', () => {
  const poll = vi.fn((): PollResult => ({ ...nothing, nextDueAt: 2 ** 33 }));
  const pacer = createPushPacer(poll);
  pacer.start();
  vi.advanceTimersByTime(2 ** 31);
  expect(poll).toHaveBeenCalledTimes(2);
  pacer.stop();
});
