import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PollResult } from '../../../../src/durable/dispatch/pacer.ts';
import { createPollingPacer } from '../../../../src/durable/dispatch/polling-pacer.ts';

const nothing: PollResult = { found: false, full: false, nextDueAt: undefined };

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

// The waits of TaskHubQueue and BackoffPollingHelper of DurableTask.AzureStorage, without their random part.
test('an empty poll is repeated immediately, after 50 ms, after 50 ms plus a part that doubles each time, and at last after the maximum', () => {
  const times: number[] = [];
  const poll = () => {
    times.push(Date.now());
    return nothing;
  };
  const pacer = createPollingPacer(poll, { maximumMs: 400, sender: 'other', random: () => 0.5 });
  pacer.start();
  vi.advanceTimersByTime(1_700);
  pacer.stop();
  expect(times).toEqual([0, 0, 50, 150, 300, 550, 950, 1350]);
});

test('only the part of a wait above 50 ms varies, by a fifth', () => {
  const waits = (random: number) => {
    const times: number[] = [];
    const pacer = createPollingPacer(
      () => {
        times.push(Date.now());
        return nothing;
      },
      { maximumMs: 30_000, sender: 'other', random: () => random },
    );
    vi.setSystemTime(0);
    pacer.start();
    vi.advanceTimersByTime(340);
    pacer.stop();
    return times.slice(2).map((time, index) => time - (times[index + 1] ?? 0));
  };
  expect(waits(0)).toEqual([50, 90, 130]);
  expect(waits(1)).toEqual([50, 110, 170]);
});

test('a poll that finds work resets the waits', () => {
  const times: number[] = [];
  const finds = new Set([300]);
  const poll = () => {
    times.push(Date.now());
    return { ...nothing, found: finds.delete(Date.now()) };
  };
  const pacer = createPollingPacer(poll, { maximumMs: 400, sender: 'other', random: () => 0.5 });
  pacer.start();
  vi.advanceTimersByTime(360);
  pacer.stop();
  expect(times).toEqual([0, 0, 50, 150, 300, 301, 302, 352]);
});

test('a maximum below 50 ms counts as 50 ms', () => {
  const poll = vi.fn(() => nothing);
  const pacer = createPollingPacer(poll, { maximumMs: 10, sender: 'other', random: () => 0.5 });
  pacer.start();
  vi.advanceTimersByTime(101);
  pacer.stop();
  expect(poll).toHaveBeenCalledTimes(4);
});

test('a send of another instance does not cause an earlier poll', () => {
  const poll = vi.fn(() => nothing);
  const pacer = createPollingPacer(poll, { maximumMs: 1_000, sender: 'other', random: () => 0.5 });
  pacer.start();
  pacer.wake();
  vi.advanceTimersByTime(40);
  pacer.stop();
  expect(poll).toHaveBeenCalledTimes(2);
});

test('sends of the same instance are followed by a poll, one for many', () => {
  const times: number[] = [];
  const poll = () => {
    times.push(Date.now());
    return { ...nothing, found: times.length === 6 };
  };
  const pacer = createPollingPacer(poll, { maximumMs: 30_000, sender: 'self', random: () => 0.5 });
  pacer.start();
  vi.advanceTimersByTime(400);
  pacer.wake();
  pacer.wake();
  vi.advanceTimersByTime(60);
  pacer.stop();
  expect(times).toEqual([0, 0, 50, 150, 300, 400, 401, 402, 452]);
});

test('a send while no slot is free does not cause a poll', () => {
  const poll = vi.fn(() => ({ ...nothing, full: true }));
  const pacer = createPollingPacer(poll, { maximumMs: 30_000, sender: 'self', random: () => 0.5 });
  pacer.start();
  pacer.wake();
  vi.advanceTimersByTime(1_000);
  pacer.stop();
  expect(poll).toHaveBeenCalledTimes(1);
});

test('without a free slot there are no polls and no backoff, and the first free slot polls immediately', () => {
  const times: number[] = [];
  const poll = (at: number) => {
    times.push(at);
    return { ...nothing, found: times.length === 1, full: times.length === 1 };
  };
  const pacer = createPollingPacer(poll, { maximumMs: 30_000, sender: 'other', random: () => 0.5 });
  pacer.start();
  vi.advanceTimersByTime(1_000);
  for (let slot = 0; slot < 20; slot++) pacer.freed();
  vi.advanceTimersByTime(60);
  pacer.stop();
  expect(times.filter((at, index) => at !== times[index - 1])).toEqual([0, 1_000, 1_001, 1_051]);
});

test('a slot that becomes free during a wait runs work that earlier polls found, and no newer work', () => {
  const asked: number[] = [];
  const pacer = createPollingPacer(
    (at) => {
      asked.push(at);
      return nothing;
    },
    { maximumMs: 30_000, sender: 'other', random: () => 0.5 },
  );
  pacer.start();
  vi.advanceTimersByTime(200);
  asked.length = 0;
  pacer.freed();
  vi.advanceTimersByTime(1);
  pacer.stop();
  expect(asked).toEqual([150]);
});
