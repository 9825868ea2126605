import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { describe, expect, it } from 'vitest';
import { errorLine } from '../../../../shared/processing/outcome/error-text.ts';
import { runChunk } from '../../../../shared/processing/thread/run-chunk.ts';
import { taskOf } from '../../../../shared/processing/threads/process-chunk.ts';
import { chunkJob, NOW_MS, readAll, retriesJob } from '../../../helpers/data/chunks.ts';
import { type Item, ids, item, type MapItem, run, workloadOf } from '../../../helpers/threads/run-chunk.ts';

describe('results', () => {
  it('are written in the order of the items, whether the handler is asynchronous or not', async () => {
    const map: MapItem = (one) => (one.id % 2 ? one.id : Promise.resolve(one.id));
    const { results, header, ran, failures } = await run(workloadOf(map), ids(1, 2, 3, 4));
    expect(results).toEqual([1, 2, 3, 4]);
    expect(header.counts).toEqual({ items: 4, succeeded: 4, dead: 0, cancelled: 0, retried: 0 });
    expect([ran, failures]).toEqual([4, 0]);
  });

  it('of undefined are the line null', async () => {
    expect(
      (
        await run(
          workloadOf(() => undefined),
          ids(1, 2),
        )
      ).results,
    ).toEqual([null, null]);
  });

  it.each([
    ['a BigInt', 1n, 'TypeError: result is a bigint'],
    ['a function', () => 1, 'TypeError: result is a function'],
    [
      'nested too deep',
      JSON.parse(`${'['.repeat(201)}${']'.repeat(201)}`),
      `TypeError: result${'[0]'.repeat(19)}… is nested over 200 levels deep`,
    ],
  ])('that are %s fail their item', async (_, result, message) => {
    const { retries, header } = await run(
      workloadOf((one) => (one.id === 2 ? result : one.id)),
      ids(1, 2, 3),
    );
    expect(header.counts).toMatchObject({ succeeded: 2, retried: 1 });
    expect(retries[0]?.attempts.map(({ error }) => errorLine(error))).toEqual([message]);
  });

  it('show the context that the handler receives with each item', async () => {
    const map: MapItem = (_, { batch, position, attempt, signal, log }) => {
      log('seen');
      return [batch.length, position, attempt, signal.aborted];
    };
    const { results, log } = await run(workloadOf(map), ids(1, 2));
    expect(results).toEqual([
      [36, 100, 1, false],
      [36, 101, 1, false],
    ]);
    expect(log).toEqual(['100 seen', '101 seen']);
  });
});

describe('an item that does not fit the schema', () => {
  it('becomes a dead letter with the paths', async () => {
    const { dead, ran, causes, header } = await run(
      workloadOf(() => 1),
      ids(1, 'two', 3),
    );
    expect(dead).toEqual([
      {
        index: 101,
        reason: 'invalid',
        error: {
          name: 'InvalidItem',
          message: 'id: Invalid input: expected number, received string',
          issues: [{ path: 'id', message: 'Invalid input: expected number, received string' }],
        },
        attempts: [],
        version: 3,
        item: { id: 'two' },
      },
    ]);
    expect(ran).toBe(2);
    expect(causes).toEqual({ 'invalid: InvalidItem: id: Invalid input: expected number, received string': 1 });
    expect(header.invalid).toBe(1);
  });

  it('lists what does not fit, and counts what exceeds the list', async () => {
    const many: StandardSchemaV1<unknown, Item> = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value) => {
          const { issues, chars } = value as { issues: number; chars: number };
          const message = 'x'.repeat(chars);
          return { issues: Array.from({ length: issues }, (_, i) => ({ message, path: ['rows', i] })) };
        },
      },
    };
    const { dead } = await run(
      workloadOf(() => 1, { item: many }),
      chunkJob([
        { issues: 7, chars: 1 },
        { issues: 250, chars: 1 },
        { issues: 50, chars: 9_000 },
      ]),
    );
    expect(dead[0]?.error.message).toBe('rows[0]: x; rows[1]: x; rows[2]: x; rows[3]: x; rows[4]: x; and 2 more');
    expect(dead[0]?.error.issues).toHaveLength(7);
    expect(dead[0]?.error.issues?.[6]).toEqual({ path: 'rows[6]', message: 'x' });
    expect(dead[0]?.error).not.toHaveProperty('moreIssues');
    expect(dead[1]?.error).toMatchObject({ moreIssues: 150 });
    expect(dead[1]?.error.message).toMatch(/; and 245 more$/);
    expect(dead[1]?.error.issues).toHaveLength(100);
    const [kept, left] = [dead[2]?.error.issues?.length ?? 0, dead[2]?.error.moreIssues ?? 0];
    expect([kept, kept + left]).toEqual([15, 50]);
  });

  it('may be a line that is not JSON, and is absent then', async () => {
    const { dead } = await run(
      workloadOf(() => 1),
      chunkJob(['{"id":']),
    );
    expect(dead[0]).toMatchObject({ index: 100, reason: 'invalid' });
    expect(dead[0]).not.toHaveProperty('item');
  });

  it('is also found by asynchronous schemas', async () => {
    const slow: StandardSchemaV1<unknown, Item> = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: async (value) =>
          item.safeParse(value).success
            ? { value: { id: 9 } }
            : { issues: [{ message: 'no', path: ['lines', 3, { key: 'qty' }] }, { message: 'at all' }] },
      },
    };
    const { results, dead } = await run(
      workloadOf((one) => one.id, { item: slow }),
      ids(1, 'x'),
    );
    expect(results).toEqual([9]);
    expect(dead[0]?.error.message).toBe('lines[3].qty: no; at all');
  });
});

describe('retries that are not due', () => {
  const retry = (index: number, notBefore: string) => ({ index, attempts: [], notBefore, item: { id: index } });

  it('are passed on unchanged and uncharged, and the chunk is due with them', async () => {
    const later = retry(8, '2026-01-01T00:05:00.000Z');
    const lines = [retry(7, '2026-01-01T00:00:00.900Z'), later, retry(9, '2026-01-01T01:00:00.000Z')];
    const { results, retries, header, ran } = await run(
      workloadOf((one) => one.id),
      retriesJob(lines, NOW_MS),
    );
    expect(results).toEqual([7]);
    expect(retries).toEqual([later, retry(9, '2026-01-01T01:00:00.000Z')]);
    expect(header.dueAt).toBe('2026-01-01T00:05:00.000Z');
    expect(header.counts).toEqual({ items: 3, succeeded: 1, dead: 0, cancelled: 0, retried: 2 });
    expect(ran).toBe(1);
  });

  it('keep their position in the batch', async () => {
    const map: MapItem = (_, { position, attempt }) => [position, attempt];
    const attempts = [{ at: '2026-01-01T00:00:00.000Z', error: { name: 'Error', message: 'boom' } }];
    const { results } = await run(workloadOf(map), retriesJob([{ index: 42, attempts, item: { id: 1 } }], NOW_MS));
    expect(results).toEqual([[42, 2]]);
  });
});

describe('concurrency', () => {
  it('limits the calls in flight, and keeps results and folds in the order of the items', async () => {
    let inFlight = 0;
    let most = 0;
    const map: MapItem = async ({ id }) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await sleep(id);
      inFlight -= 1;
      return id;
    };
    const reduce = { key: () => 'all', init: () => '', add: (a: string, id: number) => `${a}${id} `, merge: () => '' };
    const { results, partial } = await run(workloadOf(map, { concurrency: 3, reduce }), ids(30, 1, 20, 2, 10, 3));
    expect(results).toEqual([30, 1, 20, 2, 10, 3]);
    expect(partial).toEqual([{ key: 'all', value: '30 1 20 2 10 3 ' }]);
    expect(most).toBe(3);
  });

  it('starts the next item as soon as one ends, not when all have', async () => {
    const log: string[] = [];
    const others = Promise.withResolvers<void>();
    const map: MapItem = async ({ id }) => {
      log.push(`+${id}`);
      await (id === 40 ? others.promise : sleep(id));
      log.push(`-${id}`);
      if (id === 2) others.resolve();
    };
    await run(workloadOf(map, { concurrency: 2 }), ids(40, 1, 2));
    expect(log).toEqual(['+40', '+1', '-1', '+2', '-2', '-40']);
  });

  it('does not affect a synchronous handler: calls follow each other without a turn of the event loop', async () => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    });
    const seen: number[] = [];
    await run(
      workloadOf(({ id }) => seen.push(id)),
      ids(1, 2, 3),
    );
    clearInterval(timer);
    expect(seen).toEqual([1, 2, 3]);
    expect(turns).toBe(0);
  });

  it('begins no item after the time of the chunk, but at least one', async () => {
    const { results, retries } = await run(
      workloadOf(({ id }) => id),
      ids(1, 2, 3),
      { budgetMs: 0 },
    );
    expect(results).toEqual([1]);
    expect(retries.map(({ index, attempts }) => [index, attempts.length])).toEqual([
      [101, 0],
      [102, 0],
    ]);
  });
});

describe('a stop', () => {
  /** Item 1 ends immediately with `first`; 2 is cancelled while it runs, and it and the rest would take long. */
  const cancelled = (first: () => number) => {
    const controller = new AbortController();
    const map: MapItem = async ({ id }, { signal }) => {
      if (id === 1) return first();
      if (id === 2) setTimeout(() => controller.abort('cancelled'));
      await sleep(10_000, undefined, { signal });
    };
    return { workload: workloadOf(map, { concurrency: 2, timeoutSeconds: 60 }), stop: controller.signal };
  };

  it('of a cancelled batch aborts calls in flight, keeps ended items, and cancels the rest', async () => {
    const { workload, stop } = cancelled(() => 1);
    const { results, header, failures, dead } = await run(workload, { ...ids(1, 2, 3, 4), stop });
    expect(results).toEqual([1]);
    expect(header).toMatchObject({
      ending: 'cancelled',
      counts: { items: 4, succeeded: 1, dead: 0, cancelled: 3, retried: 0 },
    });
    expect([failures, dead]).toEqual([0, []]);
  });

  it('of an instance keeps ended items, lets calls in flight finish, and passes the rest on uncharged', async () => {
    const stop = new AbortController();
    /** Item 1 ends immediately, so that 2 and 3 are in flight when the stop comes, and end after it. */
    const follow: MapItem = async ({ id }) => {
      if (id === 3) setTimeout(() => stop.abort('returned'), 5);
      if (id !== 1) await once(stop.signal, 'abort');
      return id;
    };
    const job = { ...ids(1, 2, 3, 4, 5), stop: stop.signal };
    const { results, header, retries } = await run(workloadOf(follow, { concurrency: 2, timeoutSeconds: 60 }), job);
    expect(results).toEqual([1, 2, 3]);
    expect(header).toMatchObject({ ending: 'processed', dueAt: '2026-01-01T00:00:00.000Z' });
    expect(retries.map(({ index, attempts }) => [index, attempts.length])).toEqual([
      [103, 0],
      [104, 0],
    ]);
  });

  it('that came before the start cancels all without a call', async () => {
    let calls = 0;
    const count: MapItem = () => {
      calls += 1;
    };
    const { header } = await run(workloadOf(count), { ...ids(1, 2), stop: AbortSignal.abort('cancelled') });
    expect(header.counts).toMatchObject({ cancelled: 2 });
    expect(calls).toBe(0);
  });

  it('also cancels items that would be tried again', async () => {
    const { workload, stop } = cancelled(() => {
      throw new Error('busy');
    });
    const { header } = await run(workload, { ...ids(1, 2), stop });
    expect(header.counts).toMatchObject({ succeeded: 0, retried: 0, cancelled: 2 });
  });
});

describe('a frame that does not match its reference', () => {
  it('makes every item a dead letter without the item', async () => {
    const { reference, ...job } = ids(1, 2);
    const digest = `sha256:${'0'.repeat(64)}`;
    const { header, dead, ran } = await run(
      workloadOf(() => 1),
      { ...job, reference: { ...reference, digest } },
    );
    expect(header.ending).toBe('digest');
    expect(header.counts).toEqual({ items: 2, succeeded: 0, dead: 2, cancelled: 0, retried: 0 });
    expect(dead.map(({ index, reason, item: lost }) => [index, reason, lost])).toEqual([
      [100, 'digest', undefined],
      [101, 'digest', undefined],
    ]);
    expect(ran).toBe(0);
  });
});

it('records in its status that no user code runs when it is done', async () => {
  const { status } = await run(
    workloadOf(() => 1),
    ids(1),
  );
  expect(status).toMatchObject({ isRunning: false, timeoutMs: 50 });
});

it('begins no item after the time of its invocation, and passes the rest on uncharged', async () => {
  let clockMs = 1_000_000;
  const begun: number[] = [];
  const workload = workloadOf(
    ({ id }) => {
      begun.push(id);
      clockMs += 100_000;
      return id;
    },
    { concurrency: 1 },
  );
  const task = taskOf({ ...ids(1, 2, 3, 4), beginUntilMs: clockMs + 150_000 }, 240_000);
  const tools = { clockMs: () => clockMs, random: () => 0.5, log: () => {} };
  const { results, retries } = await readAll(await runChunk(workload, task, tools));
  expect(begun).toEqual([1, 2]);
  expect(results).toEqual([1, 2]);
  expect(retries.map(({ index, attempts }) => [index, attempts.length])).toEqual([
    [102, 0],
    [103, 0],
  ]);
});
