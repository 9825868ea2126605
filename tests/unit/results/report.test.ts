import { expect, test } from 'vitest';
import { finalize } from '../../../shared/results/finalize.ts';
import { BATCH, serviceError } from '../../helpers/data/factories.ts';
import { fail, logged, partials, reportLines, type Sum } from './finalize-fixtures.ts';

const hostile = '\uffff\ud800\u0000';

/** An asynchronous step that fails: its rejection must not end the process. */
const rejected = (): Promise<never> => Promise.reject(new Error('too late'));

test.each<[string, Partial<Sum>, RegExp, string[]?]>([
  ['merge throws', { merge: () => fail(new TypeError('no amount')) }, /^The merge of key "k" .*TypeError: no amount$/],
  ['merge throws a value that is not an error', { merge: () => fail(7) }, /Error: 7$/],
  ['merge throws characters that storage refuses', { merge: () => fail(new Error(hostile)) }, /Error: \ufffd{3}$/],
  [
    'merge returns a value that JSON cannot represent',
    { merge: () => 1n },
    /^The value of key "k" .*TypeError: report.k is a bigint/,
  ],
  ['merge returns undefined', { merge: () => undefined }, /^The value of key "k" .*report.k is undefined/],
  ['merge returns a promise', { merge: () => rejected() }, /^The merge of key "k" .*TypeError: .*a promise/],
  [
    'finish throws',
    { finish: () => fail(new RangeError('no items')) },
    /^The finish of key "k" .*RangeError: no items$/,
  ],
  ['finish returns a promise', { finish: () => rejected() }, /^The finish of key "k" .*TypeError: .*a promise/],
  ['finish returns undefined', { finish: () => undefined }, /^The value of key "k" .*report.k is undefined/],
  [
    'finish returns a value that JSON cannot represent',
    { finish: () => 1n },
    /^The value of key "k" .*TypeError: report.k is a bigint/,
  ],
  ['there are too many keys', { maxKeys: 1 }, /more than 1 keys/, ['{"key":"a","value":1}', '{"key":"b","value":1}']],
  [
    'a stored partial is not JSON',
    {},
    /^The partial aggregate of chunk 000001 .*SyntaxError/,
    ['{"key":"k","value":1}', '{'],
  ],
])('a batch whose report cannot be created ends as reportFailed: %s', async (_what, reduce, problem, lines) => {
  const { deps, row, published, blobs } = await partials(reduce, lines);

  const log = await logged(() => finalize(deps, BATCH));

  expect(await row()).toMatchObject({ state: 'reportFailed', announced: true, reportRevision: -1 });
  expect((await row())?.reportProblem).toMatch(problem);
  expect([...blobs.keys()].filter((name) => name.startsWith('reports/'))).toEqual([]);
  expect(published).toEqual([`BatchCompleted completed-${BATCH}-0`]);
  expect(log.find(({ event }) => event === 'report-failed')?.error?.message).toMatch(problem);
});

test('finish creates the row of each merged key, once', async () => {
  const lines = ['{"key":"a","value":1}', '{"key":"b","value":5}'];
  const asked: unknown[] = [];
  const finish = (key: string, acc: unknown) => {
    asked.push([key, acc]);
    return { average: Number(acc) / 2 };
  };
  const { deps, blobs, row } = await partials({ finish }, lines);

  await finalize(deps, BATCH);

  expect(reportLines(blobs, 0)).toEqual(['{"key":"a","value":{"average":0.5}}', '{"key":"b","value":{"average":2.5}}']);
  expect(asked).toEqual([
    ['a', 1],
    ['b', 5],
  ]);
  expect(await row()).toMatchObject({ state: 'completed', reportRevision: 0 });
});

const failedFold = ['{"key":"k","value":1}', '{"failed":"TypeError: no key"}'];

test('a chunk whose fold failed in its thread is folded again from its results', async () => {
  const { deps, row, blobs } = await partials({}, failedFold);

  await finalize(deps, BATCH);

  expect(await row()).toMatchObject({ state: 'completed', reportRevision: 0 });
  expect(reportLines(blobs, 0)).toEqual(['{"key":"k","value":3}']);
});

test.each<[string, Partial<Sum>, RegExp]>([
  ['key', { key: (result) => (result === 0 ? fail(new TypeError('no key')) : 'k') }, /result 2 .*TypeError: no key$/],
  ['add', { add: () => fail(new RangeError('too much')) }, /result 1 .*RangeError: too much$/],
])('if %s throws again, the batch ends as reportFailed', async (_step, reduce, problem) => {
  const { deps, row } = await partials(reduce, failedFold);

  await finalize(deps, BATCH);

  const { state, succeeded, reportProblem } = (await row()) ?? {};
  expect([state, succeeded]).toEqual(['reportFailed', 8]);
  expect(reportProblem).toMatch(/^The fold of result \d of chunk 000001 failed: /);
  expect(reportProblem).toMatch(problem);
});

test('if the repeated fold of a chunk cannot be written, the batch ends as reportFailed', async () => {
  const { deps, row } = await partials({ add: () => 1n as never }, failedFold);

  await finalize(deps, BATCH);

  const { state, reportProblem } = (await row()) ?? {};
  expect(state).toBe('reportFailed');
  expect(reportProblem).toMatch(/^The fold of chunk 000001 cannot be written: TypeError: report.k is a bigint/);
});

test('a missing or damaged partial aggregate leaves a batch without a report, but not open', async () => {
  const { deps, row, blobs } = await partials({});
  const [first, second] = [...blobs.keys()];
  blobs.delete(String(second));

  await finalize(deps, BATCH);

  expect((await row())?.reportProblem).toMatch(/^The partial aggregate of chunk 000001 .*does not exist/);
  expect(blobs.has(String(first))).toBe(true);
});

test.each([503, 403, 404])(
  'an error of storage (%i) leaves the batch open, and it ends once the error has passed',
  async (status) => {
    const { deps, row, blobs } = await partials({});
    const { container } = deps;
    let refused = 1;
    deps.container = (name) => {
      const client = container(name);
      if (name !== 'reports' || refused-- <= 0) return client;
      return { getBlockBlobClient: () => ({ upload: () => Promise.reject(serviceError(status)) }) } as never;
    };

    await expect(finalize(deps, BATCH)).rejects.toThrow(String(status));
    expect(await row()).toMatchObject({ state: 'running', reportRevision: -1 });
    await finalize(deps, BATCH);

    expect(await row()).toMatchObject({ state: 'completed', reportRevision: 0 });
    expect(reportLines(blobs, 0)).toEqual(['{"key":"k","value":3}']);
  },
);
