import { describe, expect, it } from 'vitest';
import { endWholeChunk } from '../../../../shared/processing/outcome/endings.ts';
import { begin, enter, OUTSIDE, readThreadStatus } from '../../../../shared/processing/thread/thread-status.ts';
import type { ThreadTask } from '../../../../shared/processing/thread/thread-task.ts';
import { ProcessorClosedError, ThreadStartError } from '../../../../shared/processing/thread-pool/errors.ts';
import { processChunk } from '../../../../shared/processing/thread-pool/rescue.ts';
import type { ThreadEnd } from '../../../../shared/processing/thread-pool/threads.ts';
import { chunkJob, NOW_MS, readAll } from '../../../helpers/chunks.ts';

type Run = (task: ThreadTask) => ThreadEnd;

const died = ({ statusBuffer }: ThreadTask, error: unknown = new Error('gone')): ThreadEnd => ({
  status: readThreadStatus(statusBuffer),
  stuck: false,
  error,
});
const diesAt =
  (position: number): Run =>
  (task) => {
    begin(task.statusBuffer, 1_000);
    enter(task.statusBuffer, position);
    return died(task);
  };
const answers: Run = ({ reference, nowMs }) => ({
  answer: { outcome: endWholeChunk({ reference, ending: 'cancelled', error: undefined, nowMs, version: 1 }) },
});

/** Threads that end as told, one run after the other; the clock goes on by a second a run. */
async function process(items: number, runs: Run[], { closedAfter = 99 } = {}) {
  const tasks: ThreadTask[] = [];
  const outcome = await processChunk(chunkJob(Array.from({ length: items }, (_, i) => ({ i }))), {
    run: async (task) => {
      tasks.push(task);
      return (runs[tasks.length - 1] ?? answers)(task);
    },
    clockMs: () => tasks.length * 1_000,
    budgetMs: 10_000,
    isClosed: () => tasks.length >= closedAfter,
    onDropped: () => {},
  });
  return { outcome, tasks };
}

describe('processChunk', () => {
  it('runs a chunk again with what its dead threads have taught, on a clock that goes on', async () => {
    const { outcome, tasks } = await process(9, [diesAt(3), diesAt(5)]);
    expect(tasks.map(({ knownFailures }) => knownFailures.map(({ line }) => line))).toEqual([[], [3], [3, 5]]);
    expect(tasks.map(({ nowMs }) => nowMs - NOW_MS)).toEqual([0, 1_000, 2_000]);
    expect(tasks.map(({ budgetMs }) => budgetMs)).toEqual([10_000, 9_000, 8_000]);
    expect(outcome.header.handlerSeconds).toBe(2);
  });

  it('gives each run a status buffer of its own', async () => {
    const { tasks } = await process(9, [diesAt(3)]);
    expect(tasks[0]?.statusBuffer).not.toBe(tasks[1]?.statusBuffer);
  });

  it('leaves no time for further items after many ends', async () => {
    const { tasks } = await process(
      40,
      Array.from({ length: 32 }, (_, i) => diesAt(i)),
    );
    expect(tasks.at(-1)?.budgetMs).toBe(0);
  });

  it('splits a chunk that ends its threads outside of any item', async () => {
    const { outcome } = await process(9, [diesAt(OUTSIDE), diesAt(OUTSIDE)]);
    expect(outcome.header).toMatchObject({ ending: 'split', counts: { items: 9 } });
  });

  it('ends such a chunk of one item as killed', async () => {
    const { outcome } = await process(1, [diesAt(OUTSIDE), diesAt(OUTSIDE)]);
    const { dead } = await readAll(outcome);
    expect(outcome.header.ending).toBe('killed');
    expect(dead[0]).toMatchObject({ reason: 'killed', error: { name: 'Error', message: 'gone' }, item: { i: 0 } });
  });

  it('rejects when no thread begins', async () => {
    const never: Run = (task) => died(task, new Error('a setting is missing'));
    await expect(process(9, [never, never, never])).rejects.toThrow(ThreadStartError);
  });

  it('blames nobody for threads that end because the processor is closed', async () => {
    await expect(process(1, [diesAt(0)], { closedAfter: 1 })).rejects.toThrow(ProcessorClosedError);
  });
});
