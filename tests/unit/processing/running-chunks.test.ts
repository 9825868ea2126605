import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BatchState } from '../../../shared/batches/batch-row.ts';
import { createRunningChunks } from '../../../shared/processing/running-chunks.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { SILENT_LOG } from '../../helpers/silent-log.ts';

const SECOND = 1_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process, and the batches as their rows say. */
function world() {
  const states = new Map<string, BatchState>();
  const looks: string[] = [];
  const ending = new AbortController();
  let isAway = false;
  const running = createRunningChunks({
    readBatch: async (batch) => {
      looks.push(batch);
      if (isAway) throw new Error('away');
      const state = states.get(batch);
      return state && { state, deadlineAt: '' };
    },
    nowMs: () => Date.now(),
    ending: ending.signal,
  });
  return {
    states,
    looks,
    ending,
    running,
    away: (is: boolean) => {
      isAway = is;
    },
    /** Begins a chunk that takes `ms`; gives why it was stopped, if it was. */
    begin: (batch: string, ms: number): { stoppedBy: () => unknown } => {
      let reason: unknown;
      void running.run(batch, async (stop) => {
        await new Promise<void>((resolve) => {
          stop.addEventListener('abort', () => resolve());
          if (stop.aborted) resolve();
          setTimeout(resolve, ms);
        });
        reason = stop.reason;
      });
      return { stoppedBy: () => reason };
    },
    pass: (ms: number) => withLog(SILENT_LOG, () => vi.advanceTimersByTimeAsync(ms)),
  };
}

test('chunks of less than ten seconds have no batch looked at, however many follow each other', async () => {
  const { begin, looks, pass } = world();
  for (let times = 0; times < 10; times += 1) {
    begin('a', 9 * SECOND);
    await pass(9 * SECOND);
  }

  expect(looks).toEqual([]);
});

test('a batch is looked at once all ten seconds, however many of its chunks run', async () => {
  const { begin, looks, pass, states } = world();
  for (const batch of ['a', 'b']) states.set(batch, 'running');
  for (const batch of ['a', 'a', 'a', 'b']) begin(batch, 60 * SECOND);

  await pass(35 * SECOND);

  expect(looks.sort()).toEqual(['a', 'a', 'a', 'b', 'b', 'b']);
});

test('every running chunk of a batch that was cancelled is stopped, and no other', async () => {
  const { begin, pass, running, states } = world();
  for (const batch of ['a', 'b']) states.set(batch, 'running');
  const [first, other] = [begin('a', 60 * SECOND), begin('b', 60 * SECOND)];
  await pass(15 * SECOND);
  const second = begin('a', 60 * SECOND);
  states.set('a', 'cancelling');

  await pass(6 * SECOND);

  expect([first, second, other].map(({ stoppedBy }) => stoppedBy())).toEqual(['cancelled', 'cancelled', undefined]);
  expect(running.changesSeen()).toBe(1);
});

test('a chunk of a batch that was paused comes to its end, and who knows the batch reads it again', async () => {
  const { begin, pass, running, states } = world();
  states.set('a', 'running');
  const chunk = begin('a', 60 * SECOND);
  states.set('a', 'paused');

  await pass(15 * SECOND);

  expect([chunk.stoppedBy(), running.changesSeen()]).toEqual([undefined, 1]);
  states.set('a', 'cancelling');
  await pass(10 * SECOND);
  expect(chunk.stoppedBy()).toBe('cancelled');
});

test('a batch that cannot be read is read again, and its chunks run on', async () => {
  const { away, begin, pass, states } = world();
  states.set('a', 'cancelling');
  const chunk = begin('a', 60 * SECOND);
  away(true);
  await pass(15 * SECOND);
  const before = chunk.stoppedBy();
  away(false);

  await pass(10 * SECOND);

  expect([before, chunk.stoppedBy()]).toEqual([undefined, 'cancelled']);
});

test('when the process is about to end, chunks are returned: those that run, and those that begin', async () => {
  const { begin, ending, looks, pass } = world();
  const runs = begin('a', 60 * SECOND);
  withLog(SILENT_LOG, () => ending.abort());
  const begins = begin('b', 60 * SECOND);

  await pass(0);

  expect([runs.stoppedBy(), begins.stoppedBy()]).toEqual(['returned', 'returned']);
  expect(looks).toEqual([]);
});

test('nothing ticks while no chunk runs, whether the last one succeeded or failed', async () => {
  const { begin, pass, running } = world();
  begin('a', SECOND);
  await expect(running.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');

  await pass(2 * SECOND);

  expect(vi.getTimerCount()).toBe(0);
});
