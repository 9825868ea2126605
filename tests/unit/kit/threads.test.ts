import { describe, expect, it } from 'vitest';
import { type RunOptions, type RunResult, runWorkload } from '../../../shared/kit/run-workload.ts';
import unruly from './unruly-workload.ts';

const threads = new URL('./unruly-workload.ts', import.meta.url);
const run = (list: string[], { workload = unruly, ...options }: RunOptions & { workload?: typeof unruly } = {}) =>
  runWorkload(
    workload,
    list.map((act, id) => ({ id, act })),
    { threads, ...options },
  );
const deadOf = ({ deadLetters }: RunResult) =>
  deadLetters.map(({ index, reason, error }) => [index, reason, error.name]);

// Run in parallel, because threads take time to start. No run may affect another one.
describe.concurrent('a workload of a module, in a thread', () => {
  it('continues when an item ends the thread, which does not count as a retry of other items', async () => {
    const end = await run(['wait', 'waitAndExit', 'once', 'wait']);
    expect(end.results.toSorted()).toEqual([0, 2, 3]);
    expect(deadOf(end)).toEqual([[1, 'killed', 'ThreadExitError']]);
    expect(end).toMatchObject({ report: { all: 3 }, cancelled: 0, retried: 1, calls: [2, 3, 3, 2] });
  });

  it('ends an item that blocks it, by the limits of the given workload', async () => {
    const end = await run(['block', 'ok', 'ok'], {
      workload: { ...unruly, timeoutSeconds: 0.1, retry: { ...unruly.retry, attempts: 1 } },
    });
    expect(end.results.toSorted()).toEqual([1, 2]);
    expect(deadOf(end)).toEqual([[0, 'exhausted', 'TimeoutError']]);
  });

  it('logs an error that no code awaited, and charges it to its item in flight', async () => {
    const end = await run(['floating', 'wait', 'late', 'log']);
    expect(deadOf(end)).toEqual([[0, 'exhausted', 'Error']]);
    expect(end).toMatchObject({ results: [1, 2, 3], retried: 1 });
    const unhandled = 'An error that no handler awaited';
    expect(new Set(end.log)).toEqual(
      new Set([
        `${unhandled} (from a call in flight): Error: nobody awaits this`,
        `${unhandled} (charged to no item): Error: comes too late`,
        'hello',
      ]),
    );
  });

  it('is cancelled at a call', async () => {
    const end = await run(['ok', 'once', 'ok', 'ok'], { cancelAfterCalls: 2 });
    expect(end).toMatchObject({ results: [0], cancelled: 3, retried: 0, calls: [1, 1, 0, 0] });
  });

  it('stays cancelled when its thread dies', async () => {
    const end = await run(['exit', 'ok'], { cancelAfterCalls: 1 });
    expect(end).toMatchObject({ results: [], deadLetters: [], cancelled: 2, calls: [1, 0] });
  });

  it('must be in the module', async () => {
    await expect(run(['ok'], { workload: { ...unruly, name: 'other' } })).rejects.toThrow('no workload "other"');
  });
});
