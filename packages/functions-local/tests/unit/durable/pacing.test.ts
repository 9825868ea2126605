import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPollingPacer, createPushPacer, type PollResult } from '../../../src/durable/pacing.ts';

const nothing: PollResult = { found: false, held: false, nextDueAt: undefined };

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

test('polling backs off from 50 ms to the maximum, and starts again after a find', () => {
  const times: number[] = [];
  const finds = new Set([550]);
  const poll = () => {
    times.push(Date.now());
    return { ...nothing, found: finds.delete(Date.now()) };
  };
  const pacer = createPollingPacer(poll, 200, () => 0.5);
  pacer.start();
  vi.advanceTimersByTime(800);
  pacer.stop();
  expect(times).toEqual([0, 50, 150, 350, 550, 551, 601, 701]);
});

test('polling is not hurried by a send', () => {
  const poll = vi.fn(() => nothing);
  const pacer = createPollingPacer(poll, 1_000, () => 0.5);
  pacer.start();
  pacer.wake();
  vi.advanceTimersByTime(40);
  pacer.stop();
  expect(poll).toHaveBeenCalledTimes(1);
});

test('push looks once for many wakes, and again when the next work is due', () => {
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

test('push splits a wait that is longer than a timer can be', () => {
  const poll = vi.fn((): PollResult => ({ ...nothing, nextDueAt: 2 ** 33 }));
  const pacer = createPushPacer(poll);
  pacer.start();
  vi.advanceTimersByTime(2 ** 31);
  expect(poll).toHaveBeenCalledTimes(2);
  pacer.stop();
});
