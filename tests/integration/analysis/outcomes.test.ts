import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { outcomeBlobName } from '../../../shared/contract/names.ts';
import { runWorkload } from '../../../shared/kit/run-workload.ts';
import { splitChunk } from '../../../shared/processing/outcome/unrun-outcomes.ts';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { Reject } from '../../../shared/workload/errors.ts';
import { chunkJob } from '../../helpers/data/chunks.ts';
import { documentedSql, query, writeBlobs } from './query.ts';

const workload = defineWorkload({
  name: 'tries',
  version: 1,
  item: z.object({ id: z.number() }),
  chunk: { maxItems: 10 },
  retry: { attempts: 3 },
  map: ({ id }, { attempt }) => {
    if (id % 10 === 3) throw new Reject('three');
    if (id % 10 === 5 && attempt < 3) throw new Error('later');
    if (id >= 30) throw new Error('never');
    return { id, amount: `${id}.10` };
  },
  reduce: { key: () => 'all', init: () => 0, add: (sum, { id }) => sum + id, merge: (a, b) => a + b },
});
const SUM = `SELECT count(*)::INT AS n, sum(id)::INT AS ids, min(date)::VARCHAR AS date
FROM read_ndjson('workload=tries/date=*/batch=*/*.ndjson.zst', hive_partitioning = true, columns = {id: 'INT'})`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-outcomes-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a reader of outcome blobs', () => {
  it('reads each result once, including those of retries, and neither dead letters nor aggregates', async () => {
    const { outcomes, report, results, deadLetters } = await runWorkload(
      workload,
      Array.from({ length: 40 }, (_, id) => ({ id })),
    );
    // A split chunk has an outcome without results; its parts have their own.
    const job = chunkJob([], { workload: 'tries', items: 4, chunk: '000009' });
    outcomes[outcomeBlobName('tries', job.reference.batch, '000009')] = splitChunk(job.reference, 2).body;
    await writeBlobs(folder, outcomes);

    expect(Object.keys(outcomes).some((name) => name.endsWith('.r2.ndjson.zst'))).toBe(true);
    expect([results.length, deadLetters.length]).toEqual([27, 13]);
    expect(await query(folder, SUM)).toEqual([{ n: results.length, ids: report.all, date: '2026-01-01' }]);
  });

  it.each(['Rows of nested results', 'From a day to a table'])(
    'can use the query of docs/analysis.md: %s',
    async (heading) => {
      const rows = {
        media: { source: 'a.jpg', thumbnails: [{ name: 'a.jpg/16.webp', width: 16, bytes: 9 }] },
        billing: { id: '1' },
      };
      for (const [name, row] of Object.entries(rows)) {
        const one = defineWorkload({ name, version: 1, item: z.object({}), map: () => row });
        await writeBlobs(folder, (await runWorkload(one, [{}])).outcomes);
      }
      const sql = (await documentedSql(heading)).replace("TO 'billing'", `TO '${join(folder, 'table')}'`);
      expect(await query(folder, sql)).toHaveLength(1);
    },
  );

  it('reads results whose fields have the names of partitions, with the query of docs/analysis.md', async () => {
    const row = { date: 'first of May', batch: 'B-7', workload: 'press' };
    const one = defineWorkload({ name: 'billing', version: 1, item: z.object({}), map: () => row });
    const own = join(folder, 'own');
    const { outcomes } = await runWorkload(one, [{}]);
    await writeBlobs(own, outcomes);

    const rows = await query(own, await documentedSql('Rows with their day and batch'));

    const [, batch_id] = /\/batch=([^/]+)/.exec(Object.keys(outcomes).join()) ?? [];
    expect(rows).toEqual([{ day: '2026-01-01', batch_id, ...row }]);
  });
});
