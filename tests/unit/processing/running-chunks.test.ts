import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BatchState } from '../../../shared/batches/batch-row.ts';
import type { RunningProgress } from '../../../shared/batches/progress/progress-rows.ts';
import { createRunningChunks } from '../../../shared/processing/running-chunks.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { batchRowOf } from '../../helpers/data/factories.ts';
import { SILENT_LOG } from '../../helpers/fakes/silent-log.ts';

const SECOND = 1_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process, and the rows of its batches. */
function world() {
  const states = new Map<string, BatchState>();
  const looks: string[] = [];
  const judged: string[] = [];
  const written: [second: number, batch: string, progress: RunningProgress | undefined][] = [];
  const startMs = Date.now();
  const stopping = new AbortController();
  let isAway = false;
  let isJudgeAway = false;
  const running = createRunningChunks({
    readBatch: async (batch) => {
      looks.push(batch);
      if (isAway) throw new Error('away');
      const state = states.get(batch);
      return state && { row: batchRowOf({ id: batch, state }), etag: 'e', progress: [], changedMs: 0 };
    },
    warnOfRisk: async ({ row }) => {
      judged.push(row.id);
      if (isJudgeAway) throw new Error('away');
    },
    writeProgress: async (batch, progress) => {
      written.push([(Date.now() - startMs) / SECOND, batch, progress]);
      if (isAway) throw new Error('away');
    },
    nowMs: () => Date.now(),
    stopping: stopping.signal,
  });
  return {
    states,
    looks,
    judged,
    loseJudge: () => {
      isJudgeAway = true;
    },
    written,
    stopping,
    running,
    away: (is: boolean) => {
      isAway = is;
    },
    /** Begins a chunk that takes `ms`; returns why it was stopped, if it was. One item of a hundred ends each second. */
    begin: (batch: string, ms: number, error?: string): { stoppedBy: () => unknown } => {
      let reason: unknown;
      const begunMs = Date.now();
      const ended = (): number => (Date.now() - begunMs) / SECOND;
      void running.run(batch, async (stop, watch) => {
        watch(() => ({ items: 100, ended: ended(), inFlight: 2, failing: 1, error }));
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

test('chunks of less than ten seconds cause no read of their batch, however many follow each other', async () => {
  const { begin, looks, pass } = world();
  for (let times = 0; times < 10; times += 1) {
    begin('a', 9 * SECOND);
    await pass(9 * SECOND);
  }

  expect(looks).toEqual([]);
});

test('a batch is read once every ten seconds, however many of its chunks run', async () => {
  const { begin, looks, pass, states } = world();
  for (const batch of ['a', 'b']) states.set(batch, 'running');
  for (const batch of ['a', 'a', 'a', 'b']) begin(batch, 60 * SECOND);

  await pass(35 * SECOND);

  expect(looks.sort()).toEqual(['a', 'a', 'a', 'b', 'b', 'b']);
});

test('every running chunk of a cancelled batch is stopped, and no other', async () => {
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

test('a chunk of a paused batch runs to its end, and cached states of the batch are read again', async () => {
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

test('each check judges the deadline of a batch that is under way; its failure stops neither the next check nor a cancel', async () => {
  const { begin, judged, loseJudge, pass, states } = world();
  for (const batch of ['a', 'b']) states.set(batch, 'running');
  states.set('c', 'paused');
  const [chunk] = ['a', 'b', 'c'].map((batch) => begin(batch, 60 * SECOND));
  await pass(15 * SECOND);
  loseJudge();
  await pass(10 * SECOND);
  states.set('a', 'cancelling');

  await pass(10 * SECOND);

  expect(judged.sort()).toEqual(['a', 'a', 'b', 'b', 'b']);
  expect(chunk?.stoppedBy()).toBe('cancelled');
});

test('a batch that cannot be read is read again, and its chunks continue', async () => {
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

test('the progress of all chunks is written with each check, but never if there are only short ones', async () => {
  const { begin, looks, pass, states, written } = world();
  states.set('a', 'running');
  begin('short', 9 * SECOND);
  begin('a', 60 * SECOND, 'Error: first');
  await pass(5 * SECOND);
  begin('a', 60 * SECOND, 'Error: second');
  begin('a', 60 * SECOND);

  await pass(20 * SECOND);

  const three = { chunks: 3, items: 300, inFlight: 6, failing: 3, error: 'Error: second' };
  expect(looks).toEqual(['a', 'a']);
  expect(written).toEqual([
    [10, 'a', { ...three, ended: 10 + 5 + 5 }],
    [20, 'a', { ...three, ended: 20 + 15 + 15 }],
  ]);
});

test('progress is removed ten seconds after the last write, once the last chunk has ended', async () => {
  const { begin, pass, states, written } = world();
  states.set('a', 'running');
  begin('a', 12 * SECOND);

  await pass(30 * SECOND);

  expect(written.map(([second, , progress]) => [second, progress?.chunks])).toEqual([
    [10, 1],
    [20, undefined],
  ]);
  expect(vi.getTimerCount()).toBe(0);
});

test('the progress of chunks that follow a long one is written once, so that no ended chunk stays counted', async () => {
  const { begin, pass, states, written } = world();
  states.set('a', 'running');
  begin('a', 12 * SECOND);
  await pass(12 * SECOND);
  for (let times = 0; times < 6; times += 1) {
    begin('a', 5 * SECOND);
    await pass(5 * SECOND);
  }

  expect(written.map(([second, , progress]) => [second, progress?.ended])).toEqual([
    [10, 10],
    [20, 3],
    [30, undefined],
  ]);
});

test('progress that cannot be written stops nothing, and is written at the next check', async () => {
  const { away, begin, pass, states, written } = world();
  states.set('a', 'running');
  const chunk = begin('a', 60 * SECOND);
  away(true);
  await pass(15 * SECOND);
  away(false);
  await pass(10 * SECOND);

  expect(chunk.stoppedBy()).toBeUndefined();
  expect(written.map(([second]) => second)).toEqual([10, 20]);
});

test('a chunk that waits for a thread has no progress', async () => {
  const { pass, running, states, written } = world();
  states.set('a', 'running');
  void running.run('a', () => new Promise(() => {}));

  await pass(25 * SECOND);

  expect(written).toEqual([]);
});

test('when the process is about to end, no timer runs for remaining progress: other processes ignore a row of that age', async () => {
  const { begin, stopping, pass } = world();
  begin('a', 12 * SECOND);
  await pass(13 * SECOND);
  stopping.abort();

  expect(vi.getTimerCount()).toBe(0);
});

test('when the process is about to end, running chunks and beginning chunks are returned', async () => {
  const { begin, stopping, looks, pass } = world();
  const runs = begin('a', 60 * SECOND);
  withLog(SILENT_LOG, () => stopping.abort());
  const begins = begin('b', 60 * SECOND);

  await pass(0);

  expect([runs.stoppedBy(), begins.stoppedBy()]).toEqual(['returned', 'returned']);
  expect(looks).toEqual([]);
});

test('no timer runs while no chunk runs, whether the last one succeeded or failed', async () => {
  const { begin, pass, running } = world();
  begin('a', SECOND);
  await expect(running.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');

  await pass(2 * SECOND);

  expect(vi.getTimerCount()).toBe(0);
});
