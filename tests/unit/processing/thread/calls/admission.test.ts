import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  addPermits,
  createPermits,
  inFlightOf,
  readTaken,
  readThrottled,
  setShare,
} from '../../../../../shared/limits/permits.ts';
import { runChunk, type ThreadTools } from '../../../../../shared/processing/thread/run-chunk.ts';
import { taskOf } from '../../../../../shared/processing/threads/process-chunk.ts';
import { defineWorkload, type Workload } from '../../../../../shared/workload/define.ts';
import { Reject, Retry } from '../../../../../shared/workload/errors.ts';
import { NOW_MS, readAll, retriesJob } from '../../../../helpers/data/chunks.ts';
import { ids, item, type MapItem } from '../../../../helpers/threads/run-chunk.ts';

const FAR_MS = 4_000_000_000_000;
const NO_RATE = Number.MAX_SAFE_INTEGER;

/** Permits: at most `rate` calls, and `inFlight` items at a time. */
function permitsOf({ rate = NO_RATE, inFlight = 1_000_000, isPerItem = false } = {}) {
  const permits = createPermits(isPerItem);
  setShare(permits, { inFlight, hasRate: rate < NO_RATE, untilMs: FAR_MS });
  if (rate < NO_RATE) addPermits(permits, rate, rate);
  return permits;
}

const workloadOf = (map: MapItem, options: object = {}): Workload =>
  defineWorkload({ name: 'mail', version: 1, item, map, rateLimit: { calls: 10, perSeconds: 1 }, ...options });

const groupsOf = (mapChunk: (items: unknown[]) => unknown, options: object = {}): Workload =>
  defineWorkload({
    ...{ name: 'mail', version: 1, item, mapChunk: mapChunk as never, group: { maxItems: 2 } },
    ...{ rateLimit: { calls: 10, perSeconds: 1 }, ...options },
  });

/** Each read of the clock is a millisecond later, so that a paused machine does not use up a budget. */
function steppingClock(): () => number {
  let nowMs = 0;
  return () => (nowMs += 1);
}

/** Runs a chunk with permits as a thread does, for at most `budgetMs`. */
async function run(
  workload: Workload,
  permits: ReturnType<typeof permitsOf>,
  {
    list = [1, 2, 3, 4, 5] as unknown[],
    job = ids(...list),
    budgetMs = 60,
    clockMs = steppingClock(),
    deadlineAt = '2100-01-01T00:00:00Z',
  } = {},
) {
  const tools: ThreadTools = { clockMs, random: () => 0.5, log: () => {} };
  const task = { ...taskOf({ ...job, deadlineAt, permits }, budgetMs) };
  const outcome = await runChunk(workload, task, tools);
  return { ...outcome, ...(await readAll(outcome)) };
}

describe('the calls of a chunk', () => {
  it('take one permit each; items that get none in the chunk’s time are passed on uncharged', async () => {
    const permits = permitsOf({ rate: 3 });
    const { header, retries, waitedSeconds } = await run(
      workloadOf(async ({ id }) => id),
      permits,
    );
    expect(header.counts).toEqual({ items: 5, succeeded: 3, dead: 0, cancelled: 0, retried: 2 });
    expect([header.moved, retries.map(({ attempts }) => attempts.length)]).toEqual([2, [0, 0]]);
    expect(waitedSeconds).toBeGreaterThan(0);
    expect(inFlightOf(permits)).toBe(0);
  });

  it('take permits even if the handler is synchronous', async () => {
    const { header } = await run(
      workloadOf(({ id }) => id),
      permitsOf({ rate: 2 }),
    );
    expect(header.counts).toMatchObject({ succeeded: 2, retried: 3 });
  });

  it('do not begin after the end of the budget, even if none has begun by then', async () => {
    let calls = 0;
    const { header } = await run(
      workloadOf(() => (calls += 1)),
      permitsOf({ rate: 0 }),
    );
    expect([calls, header.counts.retried]).toEqual([0, 5]);
  });

  it('never exceed the number that may be in flight', async () => {
    let now = 0;
    let most = 0;
    const map: MapItem = async () => {
      now += 1;
      most = Math.max(most, now);
      await sleep(2);
      now -= 1;
      return 1;
    };
    const permits = permitsOf({ inFlight: 2 });
    const { header } = await run(workloadOf(map), permits, { budgetMs: 10_000 });
    expect([most, header.counts.succeeded, inFlightOf(permits)]).toEqual([2, 5, 0]);
  });

  it('cost nothing for items that are not valid', async () => {
    const permits = permitsOf({ rate: 3 });
    const { header } = await run(
      workloadOf(async ({ id }) => id),
      permits,
      { list: ['a', 1, 'b', 2, 'c'] },
    );
    expect(header.counts).toMatchObject({ succeeded: 2, dead: 3, retried: 0 });
    expect(readTaken(permits)).toBe(2);
  });

  it.each([
    ['a group is one call', false, 3, 5, 3],
    ['a group is as many items as it has', true, 4, 4, 4],
  ])('by group: %s', async (_what, isPerItem, rate, succeeded, taken) => {
    const permits = permitsOf({ rate, isPerItem });
    const options = isPerItem ? { rateLimit: { items: 10, perSeconds: 1 } } : {};
    const { header } = await run(
      groupsOf(async (items) => items.map(() => 1), options),
      permits,
    );
    expect([header.counts.succeeded, readTaken(permits)]).toEqual([succeeded, taken]);
  });

  it('take a permit also for an item that becomes due while it is admitted', async () => {
    let calls = 0;
    const map = workloadOf(() => (calls += 1));
    for (let ms = 0; ms < 30; ms += 1) {
      // One second before an item is due, it runs.
      const notBefore = new Date(NOW_MS + 1_000 + ms).toISOString();
      const job = retriesJob([{ index: 100, attempts: [], notBefore, item: { id: 1 } }], NOW_MS);
      await run(map, permitsOf({ rate: 0 }), { job });
    }
    expect(calls).toBe(0);
  });

  it('are passed on when their process has had no share for ten seconds', async () => {
    let nowMs = 0;
    const permits = createPermits(false);
    const { header } = await run(
      workloadOf(async ({ id }) => id),
      permits,
      {
        budgetMs: 60_000,
        clockMs: () => (nowMs += 500),
      },
    );
    expect(header.counts).toMatchObject({ succeeded: 0, retried: 5 });
    expect(nowMs).toBeLessThan(20_000);
  });
});

describe('a Retry with `after` of a workload with a rate limit', () => {
  const busy = workloadOf(async ({ id }) => {
    if (id === 2) throw new Retry('429', { after: 30 });
    if (id === 3) throw new Retry('later');
    if (id === 4) throw new Reject('no');
    return id;
  });

  it('charges no attempt, is not counted as a failure, is due after its wait, and is reported', async () => {
    const permits = permitsOf();
    const { header, retries, failures, ran } = await run(busy, permits);
    expect(header.counts).toMatchObject({ succeeded: 2, dead: 1, retried: 2 });
    expect(retries.map(({ index, attempts }) => [index, attempts.length])).toEqual([
      [101, 0],
      [102, 1],
    ]);
    // It does not count as an item that has run either: it must neither open nor close a circuit.
    expect([failures, ran]).toEqual([1, 4]);
    expect([readThrottled(permits), readThrottled(permits)]).toEqual([30, undefined]);
  });

  it('is an attempt like any other after the batch’s deadline, and without a rate limit', async () => {
    const late = await run(busy, permitsOf(), { deadlineAt: '2020-01-01T00:00:00Z' });
    const unlimited = await run({ ...busy, rateLimit: undefined } as unknown as Workload, permitsOf());
    for (const { retries, failures } of [late, unlimited])
      expect([retries.map(({ attempts }) => attempts.length), failures]).toEqual([[1, 1], 2]);
  });

  it.each([
    ['of 0 s is due in one second', 0, 1, 0],
    ['of an infinite wait is due in a week', Number.POSITIVE_INFINITY, 604_800, 0],
    ['of a negative wait is a failure', -1, undefined, 1],
    ['of NaN is a failure', Number.NaN, undefined, 1],
    ['of a text is a failure', '5', undefined, 1],
  ])('%s', async (_what, after, seconds, charged) => {
    const permits = permitsOf();
    const workload = workloadOf(() => {
      throw new Retry('429', { after: after as number });
    });
    const { retries, header } = await run(workload, permits, { list: [1] });
    expect(retries.map(({ attempts }) => attempts.length)).toEqual([charged]);
    expect([readThrottled(permits), header.moved]).toEqual([seconds, charged === 0 ? 1 : undefined]);
  });

  it('of a thousand items at the same time is one report', async () => {
    const permits = permitsOf();
    const list = Array.from({ length: 1_000 }, (_, id) => id);
    const workload = workloadOf(async (_item, { position }) => {
      throw new Retry('429', { after: 1 + (position % 60) });
    });
    const { header, failures } = await run(workload, permits, { list, budgetMs: 10_000 });
    expect([header.counts.retried, header.moved, failures]).toEqual([1_000, 1_000, 0]);
    expect([readThrottled(permits), readThrottled(permits), inFlightOf(permits)]).toEqual([60, undefined, 0]);
  });
});
