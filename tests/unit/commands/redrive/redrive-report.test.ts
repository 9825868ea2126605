import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { changeBatch } from '../../../../shared/batches/ledger.ts';
import { readOpen } from '../../../../shared/batches/listing/open-rows.ts';
import { redrive } from '../../../../shared/commands/redrive/redrive.ts';
import { type FinalizeDeps, finalize } from '../../../../shared/results/finalize.ts';
import { repairBatch } from '../../../../shared/sweep/repair-batch.ts';
import { DEFAULT_PATIENCE } from '../../../../shared/sweep/sweep-run.ts';
import { defineWorkload } from '../../../../shared/workload/define.ts';
import { createRegistry } from '../../../../shared/workload/registry.ts';
import { BATCH } from '../../../helpers/data/factories.ts';
import { dyingAt } from '../../../helpers/fakes/crashes.ts';
import { ids, run } from '../../../helpers/threads/run-chunk.ts';
import { ended, fail, partials, reportLines, summing } from '../../results/finalize-fixtures.ts';

const REPORT = ['{"key":"k","value":3}'];

/** A batch whose merge threw, and the dependencies of an app with the fixed workload. */
async function failed() {
  const made = await partials({ merge: () => fail(new TypeError('no amount')) });
  await finalize(made.deps, BATCH);
  const repaired = { ...made.deps, registry: createRegistry([summing()]) };
  const redriveReport = (deps = repaired, key = 'k') =>
    redrive(deps, { batch: BATCH, key, selection: { report: true } });
  return { ...made, repaired, redriveReport };
}

describe('a redrive of the report alone', () => {
  it('creates the report with the code that is deployed at that time, in a new revision', async () => {
    const { redriveReport, row, blobs, published, store } = await failed();
    expect(await row()).toMatchObject({ state: 'reportFailed', succeeded: 8 });

    const answer = await redriveReport();

    expect(answer).toMatchObject({ revision: 1, redriven: 0, unreadable: 0, chunks: 0 });
    const { reportProblem, latencyMax, ...after } = (await row()) ?? {};
    expect(after).toMatchObject({ state: 'completed', revision: 1, reportRevision: 1, announced: true, succeeded: 8 });
    expect(after).toMatchObject({ revisionItems: 0, chunksDone: 2, chunksTotal: 2 });
    expect([reportProblem, latencyMax]).toEqual([undefined, undefined]);
    expect([reportLines(blobs, 0), reportLines(blobs, 1)]).toEqual([undefined, REPORT]);
    expect(published).toEqual([0, 1].map((revision) => `BatchCompleted completed-${BATCH}-${revision}`));
    expect(store.row('open', `${BATCH}.0001`)).toBeUndefined();
  });

  it('repairs the report after a key failed, from the results of the only run of each item', async () => {
    let runs = 0;
    const options = {
      ...{ name: 'billing', version: 1, item: z.object({ id: z.number() }) },
      map: ({ id }: { id: number }) => {
        runs += 1;
        return { id, part: id % 2 === 0 ? 'even' : 'odd' };
      },
    };
    const count = { init: () => 0, add: (n: number) => n + 1, merge: (a: number, b: number) => a + b };
    const broken = defineWorkload({ ...options, reduce: { ...count, key: () => fail(new TypeError('no part')) } });
    const fixed = defineWorkload({ ...options, reduce: { ...count, key: ({ part }) => part } });
    const outcomes = [await run(broken, ids(1, 2, 3, 4)), await run(broken, ids(5, 6, 7, 9))];
    const { deps, row, blobs } = await ended(outcomes, broken);
    await finalize(deps, BATCH);
    expect(await row()).toMatchObject({
      ...{ state: 'reportFailed', succeeded: 8, dead: 0, retried: 0 },
      reportProblem: 'The fold of result 1 of chunk 000000 failed: TypeError: no part',
    });

    const repaired = { ...deps, registry: createRegistry([fixed]) };
    await redrive(repaired, { batch: BATCH, key: 'k', selection: { report: true } });

    expect(await row()).toMatchObject({ state: 'completed', succeeded: 8, reportRevision: 1 });
    expect(reportLines(blobs, 1)).toEqual(['{"key":"even","value":3}', '{"key":"odd","value":5}']);
    expect(runs).toBe(8);
  });

  it('folds the results again, since the stored fold may be wrong; so do later revisions', async () => {
    const withoutSum = ['{"key":"k","value":1}', '{"key":"k","value":null}'];
    const merge = (a: unknown, b: unknown) => (b === null ? fail(new TypeError('no sum')) : Number(a) + Number(b));
    const { deps, row, blobs } = await partials({ merge }, withoutSum);
    await finalize(deps, BATCH);
    expect(await row()).toMatchObject({ state: 'reportFailed' });

    await redrive(deps, { batch: BATCH, key: 'k', selection: { report: true } });
    await changeBatch(deps.table, BATCH, () => ({ state: 'running', revision: 2, announced: false }));
    await finalize(deps, BATCH);

    expect(await row()).toMatchObject({ state: 'completed', reportRevision: 2 });
    expect([1, 2].map((revision) => reportLines(blobs, revision))).toEqual([REPORT, REPORT]);
  });

  it('leaves a batch in reportFailed if the report fails again, and may be repeated with another key', async () => {
    const { deps, redriveReport, row, blobs } = await failed();

    expect(await redriveReport(deps)).toMatchObject({ revision: 1 });
    expect(await row()).toMatchObject({ state: 'reportFailed', revision: 1, reportRevision: -1 });
    expect(await redriveReport(deps)).toMatchObject({ revision: 1 });
    expect(await redriveReport(undefined, 'again')).toMatchObject({ revision: 2 });

    expect(await row()).toMatchObject({ state: 'completed', revision: 2, reportRevision: 2 });
    expect(reportLines(blobs, 2)).toEqual(REPORT);
  });

  it('is refused for a batch that has its report, is running, is being deleted, or was redriven too often', async () => {
    const { deps, redriveReport, row } = await failed();
    const refusal = (message: RegExp) => ({ type: 'conflict', message: expect.stringMatching(message) });
    await changeBatch(deps.table, BATCH, () => ({ state: 'running' }));
    await expect(redriveReport()).rejects.toMatchObject(refusal(/is running/));
    await changeBatch(deps.table, BATCH, () => ({ state: 'reportFailed' }));
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [n + 1, 'blob']));
    await changeBatch(deps.table, BATCH, () => ({ reportRedrives: many }));
    await expect(redriveReport()).rejects.toMatchObject(refusal(/redriven 100 times/));
    await changeBatch(deps.table, BATCH, () => ({ reportRedrives: undefined }));
    await redriveReport();
    await expect(redriveReport(undefined, 'other')).rejects.toMatchObject(refusal(/only a report that failed/));
    expect(await row()).toMatchObject({ state: 'completed', revision: 1 });
    await changeBatch(deps.table, BATCH, () => ({ deletingAt: '2026-01-01T00:00:00.000Z' }));
    await expect(redriveReport()).rejects.toMatchObject(refusal(/is being deleted/));
  });

  it('creates the report of a batch of an earlier release, whose state does not show that it failed', async () => {
    const { deps, redriveReport, row } = await failed();
    await changeBatch(deps.table, BATCH, () => ({ state: 'completed' }));

    await redriveReport();

    expect(await row()).toMatchObject({ state: 'completed', reportRevision: 1 });
  });

  it('ends a batch with cancelled items as cancelled', async () => {
    const { deps, redriveReport, row } = await failed();
    await changeBatch(deps.table, BATCH, () => ({ succeeded: 4, cancelled: 4 }));

    await redriveReport();

    expect((await row())?.state).toBe('cancelled');
  });

  // Selection, row open, acceptance, listing, report, state, event, listing, announced, row open.
  describe.each(Array.from({ length: 10 }, (_, n) => n + 1))('that dies at write %i', (at) => {
    it.each(['its repeat', 'the sweep'])('is completed by %s', async (next) => {
      const { redriveReport, repaired, row, blobs, published, store } = await failed();
      const process = { writes: 0, dead: false };
      await redriveReport(dyingAt(repaired, at, process)).catch(() => undefined);
      expect(process.dead).toBe(true);
      const isAccepted = (await row())?.revision === 1;

      // Before it is accepted, only the client knows the redrive.
      if (next === 'its repeat' || !isAccepted) {
        await redriveReport();
        expect(await row()).toMatchObject({ state: 'completed', announced: true });
      }
      await sweepOpen(repaired);

      expect(await row()).toMatchObject({ state: 'completed', revision: 1, reportRevision: 1, announced: true });
      expect(reportLines(blobs, 1)).toEqual(REPORT);
      expect(new Set(published)).toEqual(new Set([0, 1].map((n) => `BatchCompleted completed-${BATCH}-${n}`)));
      expect(store.row('open', `${BATCH}.0001`)).toBeUndefined();
      expect(await redriveReport()).toMatchObject({ revision: 1 });
    });
  });
});

/** Repairs the open batches like a sweep, without waiting: the rows of this table are old. */
async function sweepOpen(deps: FinalizeDeps): Promise<void> {
  const counts: Record<string, number> = {};
  const run = {
    ...deps,
    counts,
    unpublishedWakes: new Set(),
    endMs: Number.MAX_SAFE_INTEGER,
    patient: DEFAULT_PATIENCE,
  };
  for (const open of (await readOpen(deps.table)).batches) await repairBatch(run as never, open);
}
