import { expect, it } from 'vitest';
import { z } from 'zod';
import { validChunks } from '../../../../shared/intake/check/valid-chunks.ts';
import type { RawChunk } from '../../../../shared/intake/chunk-records.ts';
import { readUpload } from '../../../../shared/intake/read-upload.ts';
import { defineWorkload } from '../../../../shared/workload/define.ts';
import { collect, cut } from '../uploads.ts';

const limits = { maxBodyBytes: 1e7, maxDecodedBytes: 1e7, maxRecordBytes: 1e6, maxItems: 100_000 };
const item = z.object({ id: z.number(), text: z.string() });
const workload = defineWorkload({ name: 'orders', version: 1, item, map: ({ id }) => id });

/** Reads records as chunks of 500, larger than what is validated in one turn. */
const chunksOf = (records: readonly unknown[]): AsyncIterable<RawChunk> =>
  readUpload({
    ...{ format: 'ndjson', encoding: 'identity', limits, chunk: { maxItems: 500, maxBytes: 1e6 } },
    body: cut(records.map((record) => `${JSON.stringify(record)}\n`).join('')),
  }).chunks;
const valid = (count: number, text = ''): unknown[] => Array.from({ length: count }, (_, id) => ({ id, text }));

it.each([
  ['many', valid(700)],
  ['large', valid(20, 'x'.repeat(50_000))],
])('passes all chunks of %s valid records on', async (_size, records) => {
  const chunks = await collect(validChunks(workload, chunksOf(records)));
  expect(chunks.reduce((sum, { items }) => sum + items, 0)).toBe(records.length);
});

it('refuses an upload with the lines of all its invalid records, also of those after the first turn', async () => {
  const records = valid(700);
  for (const index of [3, 250, 699]) records[index] = { id: index };
  await expect(collect(validChunks(workload, chunksOf(records)))).rejects.toMatchObject({
    type: 'invalid-items',
    errors: [{ line: 4 }, { line: 251 }, { line: 700 }],
  });
});
