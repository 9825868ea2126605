import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorLine } from '../../../shared/processing/outcome/error-text.ts';
import type { ChunkOutcome } from '../../../shared/processing/thread/thread-task.ts';
import { createProcessor, type Processor } from '../../../shared/processing/thread-pool/processor.ts';
import { chunkJob, NOW_MS, readAll, retriesJob } from '../../helpers/chunks.ts';

const threadUrl = new URL('../../helpers/thread-workloads.ts', import.meta.url);
let processor: Processor;

beforeAll(() => {
  processor = createProcessor({ threadUrl, threads: 2, maxThreadMemoryMb: 64, log: () => {} });
});
afterAll(() => processor.close());

const processActs = (acts: string[], workload = 'each'): Promise<ChunkOutcome> =>
  processor.process(
    chunkJob(
      acts.map((act, id) => ({ id, act })),
      { workload },
    ),
  );

/** Who succeeded by id, and who was charged with what by index. */
async function itemOutcomes(outcome: ChunkOutcome) {
  const { results, retries, dead } = await readAll(outcome);
  return {
    succeeded: results.map((result) => (result as { id: number }).id),
    retried: retries.map(({ index, attempts }) => [index, ...attempts.map(({ error }) => errorLine(error))]),
    dead: dead.map(({ index, reason, error }) => [index, reason, error.name]),
  };
}

const TIMED_OUT = 'TimeoutError: timed out after 0.2 s';

describe('a handler that ends its thread', () => {
  it.each([
    ['by process.exit', 'exit', 'ThreadExitError'],
    ['by an error outside of its call', 'uncaught', 'RangeError'],
    ['by using up its memory', 'oom', 'OutOfMemoryError'],
  ])('%s is a dead letter, and its neighbours are not charged', async (_, act, name) => {
    const outcome = await processActs(['ok', 'ok', act, 'ok']);
    expect(await itemOutcomes(outcome)).toEqual({ succeeded: [0, 1, 3], retried: [], dead: [[102, 'killed', name]] });
    expect(outcome.header.ending).toBe('processed');
    expect(outcome).toMatchObject({ failures: 0, ran: 4 });
  });

  it('does not hide others of its kind in the same chunk', async () => {
    const outcome = await processActs(['exit', 'ok', 'throw', 'exit', 'exit']);
    expect(await itemOutcomes(outcome)).toEqual({
      succeeded: [1],
      retried: [[102, 'Error: boom']],
      dead: [100, 103, 104].map((index) => [index, 'killed', 'ThreadExitError']),
    });
  });

  it('does so for many before the rest of the chunk is passed on, uncharged', async () => {
    const outcome = await processActs(Array.from({ length: 40 }, () => 'exit'));
    expect(outcome.header.counts).toMatchObject({ items: 40, dead: 32, retried: 8 });
    expect((await itemOutcomes(outcome)).retried).toEqual(
      [132, 133, 134, 135, 136, 137, 138, 139].map((index) => [index]),
    );
  }, 20_000);
});

describe('a chunk whose results do not fit into the memory of a thread', () => {
  it('is split, and no item is blamed', async () => {
    const outcome = await processActs(Array.from({ length: 32 }, () => 'large'));
    expect(outcome.header).toMatchObject({ ending: 'split', counts: { items: 32, dead: 0, retried: 0 } });
    expect(outcome.header.parts).toHaveLength(8);
  });
});

describe('a handler that blocks its thread', () => {
  it('is charged with a timeout alone, and is run again later', async () => {
    const outcome = await processActs(['ok', 'hangSync', 'ok']);
    expect(await itemOutcomes(outcome)).toEqual({ succeeded: [0, 2], retried: [[101, TIMED_OUT]], dead: [] });
    expect(outcome).toMatchObject({ failures: 1, ran: 3 });
    expect(outcome.header.handlerSeconds).toBeGreaterThan(2.2);
  });

  it('is exhausted at its last attempt', async () => {
    const attempts = [1, 2].map(() => ({
      at: '2025-12-31T00:00:00.000Z',
      error: { name: 'TimeoutError', message: 'timed out after 0.2 s' },
    }));
    const retries = [{ index: 7, attempts, item: { id: 7, act: 'hangSync' } }];
    const { dead } = await readAll(await processor.process(retriesJob(retries, NOW_MS)));
    expect(dead[0]).toMatchObject({ index: 7, reason: 'exhausted', error: { name: 'TimeoutError' } });
    expect(dead[0]?.attempts).toHaveLength(3);
  });
});

describe('an asynchronous handler that hangs', () => {
  it('is charged with a timeout while its thread lives on', async () => {
    const outcome = await processActs(['hangAsync', 'ok', 'awaitAbort']);
    expect(await itemOutcomes(outcome)).toEqual({
      succeeded: [1],
      retried: [
        [100, TIMED_OUT],
        [102, TIMED_OUT],
      ],
      dead: [],
    });
    expect(outcome.header.handlerSeconds).toBeLessThan(4);
  });
});

describe('mapChunk', () => {
  it('that ends its thread is called item by item until the killer is found', async () => {
    const outcome = await processActs(['ok', 'exit', 'error', 'ok'], 'whole');
    expect(await itemOutcomes(outcome)).toEqual({
      succeeded: [0, 3],
      retried: [],
      dead: [
        [101, 'killed', 'ThreadExitError'],
        [102, 'rejected', 'Reject'],
      ],
    });
  });

  it('that blocks its thread likewise', async () => {
    const outcome = await processActs(['ok', 'hangSync'], 'whole');
    expect(await itemOutcomes(outcome)).toEqual({ succeeded: [0], retried: [[101, TIMED_OUT]], dead: [] });
  });

  it('that never answers is charged to all its items', async () => {
    const outcome = await processActs(['ok', 'hangAll'], 'whole');
    expect((await itemOutcomes(outcome)).retried).toEqual([
      [100, TIMED_OUT],
      [101, TIMED_OUT],
    ]);
  });
});
