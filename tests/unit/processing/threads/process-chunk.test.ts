import { describe, expect, it } from 'vitest';
import { unrunOutcome } from '../../../../shared/processing/outcome/unrun-outcomes.ts';
import { ALONE, begin, enter, readThreadStatus, setUsed } from '../../../../shared/processing/thread/thread-status.ts';
import type { ThreadTask } from '../../../../shared/processing/thread/thread-task.ts';
import { NotBegunError, ProcessorClosedError, ThreadStartError } from '../../../../shared/processing/threads/errors.ts';
import { processChunk } from '../../../../shared/processing/threads/process-chunk.ts';
import type { TaskResult } from '../../../../shared/processing/threads/threads.ts';
import { chunkJob, NOW_MS, readAll } from '../../../helpers/data/chunks.ts';

type Run = (task: ThreadTask) => TaskResult;

const died = ({ statusBuffer }: ThreadTask, error: unknown = new Error('gone')): TaskResult => ({
  ...{ status: readThreadStatus(statusBuffer), items: Uint8Array.from(statusBuffer.items) },
  ...{ copies: [], stuck: false, error },
});
const diesWith =
  (...slots: number[]): Run =>
  (task) => {
    begin(task.statusBuffer, 1_000);
    for (const slot of slots) enter(task.statusBuffer, slot, true);
    return died(task);
  };
const answers: Run = ({ reference, nowMs, statusBuffer }) => ({
  answer: { outcome: unrunOutcome({ reference, ending: 'cancelled', error: undefined, nowMs }) },
  status: readThreadStatus(statusBuffer),
});

/** Threads that end as `runs` specifies, one run after the other; the clock advances by one second per run. */
async function process(
  items: number,
  runs: Run[],
  { closedAfter = 99, stop }: { closedAfter?: number; stop?: AbortSignal } = {},
) {
  const tasks: ThreadTask[] = [];
  const job = { ...chunkJob(Array.from({ length: items }, (_, i) => ({ i }))), stop };
  const outcome = await processChunk(job, {
    run: async (task) => {
      tasks.push(task);
      return (runs[tasks.length - 1] ?? answers)(task);
    },
    clockMs: () => tasks.length * 1_000,
    budgetMs: 10_000,
    isClosed: () => tasks.length >= closedAfter,
  });
  return { outcome, tasks };
}

describe('processChunk', () => {
  it('ends without an outcome if a thread had no time left to begin', async () => {
    const notBegun: Run = ({ statusBuffer }) => ({
      answer: { notBegun: true },
      status: readThreadStatus(statusBuffer),
    });
    await expect(process(2, [notBegun])).rejects.toThrow(NotBegunError);
  });

  it('passes the remains of a dead thread to another one, which creates the outcome from them', async () => {
    const { outcome, tasks } = await process(9, [diesWith(3)]);
    expect(tasks).toHaveLength(2);
    expect(tasks[1]?.remains?.verdict).toMatchObject({ slot: 3, kind: 'killed', atMs: NOW_MS + 1_000 });
    expect([...(tasks[1]?.remains?.items ?? [])]).toEqual([0, 0, 0, ALONE, 0, 0, 0, 0, 0]);
    expect(outcome.header.handlerSeconds).toBe(1);
  });

  it('gives each run its own status buffer', async () => {
    const { tasks } = await process(9, [diesWith(3)]);
    expect(tasks[0]?.statusBuffer).not.toBe(tasks[1]?.statusBuffer);
  });

  it.each([
    ['has died before it began any item', [diesWith()]],
    ['has died, and the next thread too', [diesWith(3), diesWith()]],
  ])('splits a chunk whose thread %s', async (_, runs) => {
    const { outcome } = await process(9, runs);
    expect(outcome.header).toMatchObject({ ending: 'split', counts: { items: 9 } });
  });

  it('ends such a chunk of one item as killed', async () => {
    const { outcome } = await process(1, [diesWith()]);
    const { dead } = await readAll(outcome);
    expect(outcome.header.ending).toBe('killed');
    expect(dead[0]).toMatchObject({ reason: 'killed', error: { name: 'Error', message: 'gone' }, item: { i: 0 } });
  });

  it('continues until a thread is fresh if the chunk requires one, and finally accepts any thread', async () => {
    const used: Run = (task) => {
      begin(task.statusBuffer, 1_000);
      setUsed(task.statusBuffer);
      return died(task);
    };
    const { tasks } = await process(
      9,
      Array.from({ length: 16 }, () => used),
    );
    expect(tasks).toHaveLength(17);
    expect(tasks.map(({ acceptsUsed }) => acceptsUsed)).toEqual([...Array.from({ length: 16 }, () => false), true]);
  });

  it('rejects when no thread begins', async () => {
    const never: Run = (task) => died(task, new Error('a setting is missing'));
    await expect(process(9, [never, never, never])).rejects.toThrow(ThreadStartError);
  });

  it('charges no item for threads that end because the processor is closed', async () => {
    await expect(process(1, [diesWith(0)], { closedAfter: 1 })).rejects.toThrow(ProcessorClosedError);
  });

  it('passes a stop to the thread, even if it came before the thread began, and to the one after its death', async () => {
    const stop = AbortSignal.abort('returned');
    const { tasks } = await process(9, [diesWith(3)], { stop });
    expect(tasks.map(({ statusBuffer }) => readThreadStatus(statusBuffer).stop)).toEqual(['returned', 'returned']);
    expect(tasks[1]?.remains?.verdict).toBeUndefined();
  });
});
