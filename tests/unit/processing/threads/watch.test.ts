import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  begin,
  createStatusBuffer,
  setRunning,
  showAlive,
} from '../../../../shared/processing/thread/thread-status.ts';
import { watchThread } from '../../../../shared/processing/threads/watch.ts';

const SECOND_MS = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A watched thread that runs a handler with a limit of 10 s. The clock advances with the ticks, and by `freeze`. */
function watched() {
  const status = createStatusBuffer(1);
  begin(status, 10 * SECOND_MS);
  setRunning(status, true);
  let nowMs = 0;
  const stuck: number[] = [];
  const stop = watchThread(
    status,
    () => nowMs,
    () => stuck.push(nowMs),
  );
  const advance = (ms: number): void => {
    for (const endMs = nowMs + ms; nowMs < endMs; ) {
      nowMs += 50;
      vi.advanceTimersByTime(50);
    }
  };
  return { status, stuck, stop, advance, freeze: (ms: number) => (nowMs += ms) };
}

test('a thread whose status does not change is stuck two seconds after the time limit of its handler', () => {
  const { advance, stop, stuck } = watched();
  advance(12 * SECOND_MS);
  expect(stuck).toEqual([]);
  advance(SECOND_MS);
  expect(stuck).toHaveLength(1);
  stop();
});

test('a freeze of the whole process does not count: the thread could not run either', () => {
  const { advance, freeze, status, stop, stuck } = watched();
  advance(SECOND_MS);

  freeze(300 * SECOND_MS);
  advance(50);
  expect(stuck).toEqual([]);

  // The thread runs again, after the watch did.
  showAlive(status);
  advance(11 * SECOND_MS);
  expect(stuck).toEqual([]);
  stop();
});
