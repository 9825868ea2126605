import type { StandardSchemaV1 } from '@standard-schema/spec';
import { describe, expect, it } from 'vitest';
import { errorLine } from '../../../../shared/processing/outcome/error-text.ts';
import type { ThreadTask } from '../../../../shared/processing/thread/thread-task.ts';
import { chunkJob, NOW_MS, retriesJob } from '../../../helpers/chunks.ts';
import { type Item, ids, item, type MapItem, run, workloadOf } from '../../../helpers/run-chunk.ts';

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

  it('see what the handler is told of each item', async () => {
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
  it('is dead and names the paths', async () => {
    const { dead, ran, causes } = await run(
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
  });

  it('lists what does not fit, also beyond the first few', async () => {
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

  it('is found by asynchronous schemas too', async () => {
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

  it('are passed on as they came, uncharged, and the chunk is due with them', async () => {
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

describe('what is known from threads that are gone', () => {
  const knownFailures: ThreadTask['knownFailures'] = [
    { line: 0, atMs: NOW_MS - 500, kind: 'timedOut' },
    { line: 2, atMs: NOW_MS - 400, kind: 'killed', error: { name: 'ThreadExitError', message: 'exit code 3' } },
  ];

  it('charges the items that ended them, and runs only the others', async () => {
    const seen: number[] = [];
    const workload = workloadOf((one) => seen.push(one.id));
    const { retries, dead, header, ran, failures } = await run(workload, ids(1, 2, 3), { knownFailures });
    expect(seen).toEqual([2]);
    expect(retries[0]?.attempts).toEqual([
      { at: '2025-12-31T23:59:59.500Z', error: { name: 'TimeoutError', message: 'timed out after 0.05 s' } },
    ]);
    expect(dead[0]).toMatchObject({
      index: 102,
      reason: 'killed',
      attempts: [{ at: '2025-12-31T23:59:59.600Z', error: { name: 'ThreadExitError', message: 'exit code 3' } }],
      item: { id: 3 },
    });
    expect(header.counts).toEqual({ items: 3, succeeded: 1, dead: 1, cancelled: 0, retried: 1 });
    expect([ran, failures]).toEqual([3, 1]);
  });

  it('passes the rest on, uncharged, when the time of the chunk is used up', async () => {
    const { retries, header } = await run(
      workloadOf((one) => one.id),
      ids(1, 2, 3),
      { knownFailures, budgetMs: 0 },
    );
    expect(retries.map(({ index, attempts, notBefore }) => [index, attempts.length, notBefore])).toEqual([
      [100, 1, '2026-01-01T00:00:01.000Z'],
      [101, 0, undefined],
    ]);
    expect(header.dueAt).toBe('2026-01-01T00:00:00.000Z');
  });

  it('runs an item at least, however little time there is', async () => {
    const { results, retries } = await run(
      workloadOf((one) => one.id),
      ids(1, 2, 3),
      { budgetMs: 0 },
    );
    expect(results).toEqual([1]);
    expect(retries.map(({ index }) => index)).toEqual([101, 102]);
  });
});

describe('a frame that is not what was promised', () => {
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

it('leaves the status outside of items when it is done', async () => {
  expect(
    (
      await run(
        workloadOf(() => 1),
        ids(1),
      )
    ).statusBuffer,
  ).toMatchObject({ position: -1, timeoutMs: 50 });
});
