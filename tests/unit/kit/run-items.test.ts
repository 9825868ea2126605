import { expect, it } from 'vitest';
import { z } from 'zod';
import { newBatchId } from '../../../shared/contract/names.ts';
import { readUpload } from '../../../shared/intake/read-upload.ts';
import { readLimits } from '../../../shared/kit/cut-into-chunks.ts';
import { runItems } from '../../../shared/kit/run-items.ts';
import { defineWorkload } from '../../../shared/workload/define.ts';

const keys = defineWorkload({
  name: 'keys',
  version: 1,
  item: z.object({ id: z.string().min(1) }),
  chunk: { maxItems: 2 },
  map: ({ id }, { idempotencyKey, deadline }) => ({ id, idempotencyKey, deadline: deadline.toISOString() }),
});

const chunksOf = (...pieces: string[]) =>
  readUpload({
    ...{
      body: (async function* () {
        yield* pieces.map((piece) => Buffer.from(piece));
      })(),
      format: 'csv',
    },
    ...{ encoding: 'identity', limits: readLimits(), chunk: keys.chunk },
  }).chunks;

it('runs over an upload that is being read, and reports the line of each item', async () => {
  const source = chunksOf('id,n\na,1\n"b\n', 'b",1\n,1\n', 'c,1\n');
  const { results, deadLetters, chunks, lineOf } = await runItems(keys, source);
  expect(results).toMatchObject([{ id: 'a' }, { id: 'b\nb' }, { id: 'c' }]);
  expect(deadLetters.map(({ index }) => index)).toEqual([2]);
  expect([0, 1, 2, 3].map(lineOf)).toEqual([2, 3, 5, 6]);
  expect(() => lineOf(4)).toThrow('no item 4');
  expect(chunks).toBe(2);
});

it('has the same idempotency keys in every run, and others for another batch', async () => {
  const keysOf = async (options = {}) => (await runItems(keys, [{ id: 'a' }], options)).results;
  const [first] = await keysOf();
  expect(await keysOf()).toEqual([first]);
  const startMs = Date.UTC(2026, 4, 1);
  const [other] = await keysOf({ batch: newBatchId(startMs), startMs });
  expect(other).toMatchObject({ id: 'a', deadline: '2026-05-01T00:05:00.000Z' });
  expect(other).not.toMatchObject({ idempotencyKey: (first as { idempotencyKey: string }).idempotencyKey });
});

it('keeps the results when the report fails', async () => {
  const reduce = { key: () => 'k', init: () => 0, add: () => 0, merge: () => 0 };
  const finish = () => {
    throw new Error('no');
  };
  const failing = defineWorkload({
    ...{ name: 'fails', version: 1 },
    item: z.number(),
    map: (n) => n,
    reduce: { ...reduce, finish },
  });
  const run = await runItems(failing, [1, 2]);
  expect(run).toMatchObject({ results: [1, 2], report: {} });
  expect(run.reportError?.message).toBe('The finish of key "k" failed: Error: no');
});
