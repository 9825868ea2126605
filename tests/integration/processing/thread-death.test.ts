import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Attempt, RetryItem } from '../../../shared/contract/outcome.ts';
import { createPermits, inFlightOf, setShare } from '../../../shared/limits/permits.ts';
import type { ChunkOutcome } from '../../../shared/processing/outcome/encode/encode-outcome.ts';
import { errorLine } from '../../../shared/processing/outcome/error-text.ts';
import { createProcessor, type Processor } from '../../../shared/processing/threads/processor.ts';
import { chunkJob, NOW_MS, readAll, retriesJob } from '../../helpers/data/chunks.ts';

const threadUrl = new URL('../../helpers/threads/thread-workloads.ts', import.meta.url);
const logged: string[] = [];
let processor: Processor;
let folder: string;
let callsFile: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-test-'));
  callsFile = join(folder, 'calls');
  processor = createProcessor({ threadUrl, threads: 2, maxThreadMemoryMb: 64, log: (line) => logged.push(line) });
});
beforeEach(() => {
  logged.length = 0;
  return writeFile(callsFile, '');
});
afterAll(async () => {
  await processor.close();
  await rm(folder, { recursive: true });
});

const processActs = (acts: string[], workload = 'each'): Promise<ChunkOutcome> =>
  processor.process(
    chunkJob(
      acts.map((act, id) => ({ id, act, calls: callsFile })),
      { workload },
    ),
  );

/** Number of calls of the handler for each item, by id; written outside of the threads. */
async function calls(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const id of (await readFile(callsFile, 'utf8')).split('\n').filter(Boolean)) counts[id] = (counts[id] ?? 0) + 1;
  return counts;
}

const idOf = (result: unknown): number => (result as { id: number }).id;
const errorOf = ([first]: readonly Attempt[]): string | undefined => first && errorLine(first.error);
const isUncharged = ({ attempts, notBefore }: RetryItem): boolean => attempts.length === 0 && notBefore === undefined;

/** Stops a run whose items would never end. */
const MAX_CHUNKS = 10;

/** Runs the acts, and the remains of threads that died, until only charged items must be tried again. */
async function runAll(acts: string[], { workload = 'each' } = {}) {
  let outcome = await processActs(acts, workload);
  const end = { chunks: 1, succeeded: [] as number[], retried: [] as unknown[][], dead: [] as unknown[][] };
  for (; ; end.chunks += 1) {
    const { results, retries, dead } = await readAll(outcome);
    end.succeeded.push(...results.map(idOf));
    end.dead.push(...dead.map(({ index, reason, error }) => [index, reason, error.name]));
    const charged = retries.filter((retry) => !isUncharged(retry));
    end.retried.push(
      ...charged.map(({ index, attempts }) => [index, ...attempts.map(({ error }) => errorLine(error))]),
    );
    const rest = retries.filter(isUncharged);
    if (rest.length === 0 || end.chunks === MAX_CHUNKS) break;
    outcome = await processor.process(retriesJob(rest, NOW_MS, { workload }));
  }
  const byIndex = (a: unknown[], b: unknown[]): number => Number(a[0]) - Number(b[0]);
  return {
    ...end,
    succeeded: end.succeeded.sort((a, b) => a - b),
    dead: end.dead.sort(byIndex),
    retried: end.retried.sort(byIndex),
  };
}

const TIMED_OUT = 'TimeoutError: timed out after 0.2 s';
const TIMEOUT = { name: 'TimeoutError', message: 'timed out after 0.2 s' };

describe('a handler that ends its thread', () => {
  it.each([
    ['by process.exit', 'exit', 'ThreadExitError'],
    ['by using up its memory', 'oom', 'OutOfMemoryError'],
  ])('%s is a dead letter, and its neighbours are not charged', async (_, act, name) => {
    const end = await runAll(['ok', 'ok', act, 'ok'], { workload: 'patient' });
    expect(end).toMatchObject({ succeeded: [0, 1, 3], retried: [], dead: [[102, 'killed', name]] });
  });

  it('among many in flight is found, with one more call for the others and a last one in a fresh thread', async () => {
    const end = await runAll([
      'ok',
      ...Array.from({ length: 20 }, (_, i) => (i === 12 ? 'waitAndExit' : 'wait')),
      'ok',
    ]);
    expect(end.succeeded).toHaveLength(21);
    expect(end).toMatchObject({ retried: [], dead: [[113, 'killed', 'ThreadExitError']] });
    const { 13: killer, ...others } = await calls();
    expect(killer).toBe(3);
    expect(Math.max(...Object.values(others))).toBe(2);
  });

  it('does not hide others of its kind, and each further call is caused by a death', async () => {
    const end = await runAll(['waitAndExit', 'wait', 'throw', 'waitAndExit', 'waitAndExit']);
    expect(end).toMatchObject({
      succeeded: [1],
      retried: [[102, 'Error: boom']],
      dead: [100, 103, 104].map((index) => [index, 'killed', 'ThreadExitError']),
    });
    const { 1: waiting, 2: throwing } = await calls();
    expect([waiting, throwing]).toEqual([2, 2]);
  });

  it('does not lose items that ended before the last copy: they are not called again', async () => {
    const acts = [...Array.from({ length: 8 }, () => 'slow'), 'exit', 'ok'];
    const { results, partial } = await readAll(await processActs(acts));
    const copied = results.length;
    expect(copied).toBeGreaterThan(3);
    expect(partial).toEqual([{ key: 'all', value: { n: copied } }]);
    await writeFile(callsFile, '');
    const end = await runAll(acts);
    expect(end).toMatchObject({ retried: [], dead: [[108, 'killed', 'ThreadExitError']] });
    const { 8: killer, ...others } = await calls();
    expect(killer).toBe(2);
    expect(Object.values(others).filter((n) => n === 1).length).toBeGreaterThan(3);
    // Usually, one or two have ended after the last copy; on a busy machine, the copy may come after all of them.
    expect(Math.max(...Object.values(others))).toBeLessThanOrEqual(2);
  });
});

describe('work that an item leaves running in its thread', () => {
  const aloneItems = (...acts: string[]) =>
    acts.map((act, n) => ({
      ...{ index: 100 + n, attempts: [], rerun: 'alone' as const },
      item: { id: n, act, calls: callsFile },
    }));

  it('does not end the thread of an item that runs alone in a later chunk', async () => {
    const single = createProcessor({ threadUrl, threads: 1, log: () => {} });
    await single.process(chunkJob([{ id: 0, act: 'leavesTrap' }], { workload: 'patient' }));
    const { header } = await single.process(retriesJob(aloneItems('meetsTrap'), NOW_MS, { workload: 'patient' }));
    await single.close();
    expect(header.counts).toMatchObject({ succeeded: 1, dead: 0, retried: 0 });
  });

  it('is not charged to an item that runs alone after it, which then gets a fresh thread', async () => {
    // Prepare
    const retries = aloneItems('leavesTrap', 'meetsTrap', 'ok');

    // Act
    const first = await readAll(await processor.process(retriesJob(retries, NOW_MS, { workload: 'patient' })));
    const next = await processor.process(retriesJob(first.retries, NOW_MS, { workload: 'patient' }));

    // Assess
    expect(first.dead).toEqual([]);
    expect(first.retries.map(({ index, rerun }) => [index, rerun])).toEqual([
      [101, 'alone'],
      [102, 'alone'],
    ]);
    expect(first.retries.every(isUncharged)).toBe(true);
    expect(next.header.counts).toMatchObject({ succeeded: 2, dead: 0, retried: 0 });
    expect(await calls()).toEqual({ 0: 1, 1: 2, 2: 1 });
  });

  it('is not charged to an item of the same chunk', async () => {
    const end = await runAll(['leavesTrap', 'meetsTrap', 'ok'], { workload: 'patient' });
    expect(end).toMatchObject({ dead: [], retried: [] });
    expect(end.succeeded).toEqual([0, 1, 2]);
  });
});

describe('a chunk whose results do not fit into the memory of a thread', () => {
  it('continues with the finished results, and charges no item', async () => {
    const { header } = await processActs(Array.from({ length: 32 }, () => 'large'));
    expect(header.counts).toMatchObject({ items: 32, dead: 0 });
    expect(['processed', 'split']).toContain(header.ending);
  });
});

describe('a handler that blocks its thread', () => {
  it('is charged with a timeout, and no other item is; it runs alone when it is tried again', async () => {
    const first = await processActs(['ok', 'hangSync', 'ok']);
    const rest = (await readAll(first)).retries;
    expect(rest.map(({ index, rerun, attempts }) => [index, rerun, attempts.length])).toContainEqual([101, 'alone', 0]);
    const second = await processor.process(retriesJob(rest, NOW_MS));
    const charged = (await readAll(second)).retries.filter((retry) => !isUncharged(retry));
    expect(charged).toMatchObject([{ index: 101, attempts: [{ error: TIMEOUT }], rerun: 'alone' }]);
    expect(second).toMatchObject({ failures: 1 });
    expect(second.header.handlerSeconds).toBeGreaterThan(2.2);
    // The time in which the thread was blocked has passed: the wait begins after it.
    expect(Date.parse(charged[0]?.notBefore ?? '')).toBeGreaterThan(NOW_MS + 2_800);
  });

  it('is exhausted at its last attempt', async () => {
    const attempts = [1, 2].map(() => ({ at: '2025-12-31T00:00:00.000Z', error: TIMEOUT }));
    const retries = [{ index: 7, attempts, rerun: 'alone' as const, item: { id: 7, act: 'hangSync' } }];
    const { dead } = await readAll(await processor.process(retriesJob(retries, NOW_MS)));
    expect(dead[0]).toMatchObject({ index: 7, reason: 'exhausted', error: { name: 'TimeoutError' } });
    expect(dead[0]?.attempts).toHaveLength(3);
  });
});

describe('an asynchronous handler that hangs', () => {
  it('is charged with a timeout while its thread continues', async () => {
    const { results, retries } = await readAll(await processActs(['hangAsync', 'ok', 'awaitAbort']));
    expect(results.map(idOf)).toEqual([1]);
    // An item that a terminated thread leaves behind is not charged, and runs alone.
    expect(retries.map(({ index, attempts, rerun }) => [index, errorOf(attempts), rerun])).toEqual([
      [100, TIMED_OUT, undefined],
      [102, TIMED_OUT, undefined],
    ]);
  });
});

describe('an error that no code awaited', () => {
  it.each([
    ['a throw in a timer', 'uncaught', 'RangeError: thrown in a timer'],
    ['a promise that nobody awaits', 'floating', 'Error: nobody awaits this'],
  ])('(%s) is charged to its item in flight once that runs alone, and to no other item', async (_, act, error) => {
    const { results, retries, dead } = await readAll(await processActs(['wait', act, 'wait', 'ok']));
    expect(results.map(idOf)).toEqual([0, 2, 3]);
    expect(retries.map(({ index, attempts }) => [index, attempts.map(({ error: own }) => errorLine(own))])).toEqual([
      [101, [error]],
    ]);
    expect(dead).toEqual([]);
    expect(await calls()).toEqual({ 0: 1, 1: 2, 2: 1, 3: 1 });
  });

  it('after the end of its item is charged to no item, and logged', async () => {
    const outcome = await processActs(['late', 'wait', 'wait']);
    expect(outcome.header.counts).toMatchObject({ succeeded: 3 });
    expect(await calls()).toEqual({ 0: 1, 1: 1, 2: 1 });
    await expect
      .poll(() => logged)
      .toContain('An error that no handler awaited (charged to no item): Error: comes too late');
  });

  it('of a shared connection is not charged to one item for the others', async () => {
    const outcome = await processActs(['opensShared', 'wait', 'wait', 'wait']);
    const { results } = await readAll(outcome);
    expect(outcome.header.counts).toMatchObject({ succeeded: 4, dead: 0, retried: 0 });
    expect(results).toHaveLength(4);
  });
});

describe('mapChunk', () => {
  it('that ends its thread is called item by item until the item that causes it is found', async () => {
    const end = await runAll(['ok', 'exit', 'error', 'ok'], { workload: 'whole' });
    expect(end).toMatchObject({
      succeeded: [0, 3],
      retried: [],
      dead: [
        [101, 'killed', 'ThreadExitError'],
        [102, 'rejected', 'Reject'],
      ],
    });
  });

  it('that blocks its thread is called item by item, too', async () => {
    const end = await runAll(['ok', 'hangSync'], { workload: 'whole' });
    expect(end).toMatchObject({ succeeded: [0], retried: [[101, TIMED_OUT]], dead: [] });
  });

  it('that never answers is charged to all its items', async () => {
    const { retries } = await readAll(await processActs(['ok', 'hangAll'], 'whole'));
    expect(retries.map(({ index, attempts }) => [index, errorOf(attempts)])).toEqual([
      [100, TIMED_OUT],
      [101, TIMED_OUT],
    ]);
  });
});

describe('a chunk that is stopped', () => {
  it('ends within seconds, even if a handler blocks its thread, and charges no item', async () => {
    const stop = new AbortController();
    const job = chunkJob(
      ['ok', 'hangSync', 'ok'].map((act, id) => ({ id, act, calls: callsFile })),
      { workload: 'patient' },
    );
    const outcome = processor.process({ ...job, stop: stop.signal });
    await expect.poll(calls).toMatchObject({ 1: 1 });
    stop.abort('cancelled');
    const { header } = await outcome;
    expect(header).toMatchObject({ ending: 'cancelled', counts: { items: 3, dead: 0, retried: 0 } });
    expect(header.counts.cancelled).toBeGreaterThan(1);
  });
});

describe('a chunk of a workload with limits', () => {
  const permitsOf = (rate: number | undefined) => {
    const permits = createPermits(false);
    setShare(permits, { inFlight: 100, hasRate: rate !== undefined, untilMs: Number.MAX_SAFE_INTEGER });
    return permits;
  };
  const jobOf = (acts: string[]) => chunkJob(acts.map((act, id) => ({ id, act, calls: callsFile })));

  it('holds no permits after the death of its thread', async () => {
    const permits = permitsOf(undefined);
    const { header } = await processor.process({ ...jobOf(['wait', 'waitAndExit', 'wait']), permits });
    expect(header.counts.retried).toBe(3);
    expect(inFlightOf(permits)).toBe(0);
  });

  it.each([
    ['cancelled', { ending: 'cancelled', counts: { cancelled: 2, retried: 0 } }],
    ['returned', { ending: 'processed', moved: 2, counts: { cancelled: 0, retried: 2 } }],
  ])('waits no longer when it is %s', async (reason, header) => {
    const permits = permitsOf(0);
    const stop = new AbortController();
    const outcome = processor.process({ ...jobOf(['ok', 'ok']), permits, stop: stop.signal });
    stop.abort(reason);
    expect(await outcome).toMatchObject({ header });
    expect([inFlightOf(permits), await calls()]).toEqual([0, {}]);
  });
});
