import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { indexBatch } from '../../../shared/batches/index-rows.ts';
import { changeBatch, insertBatch } from '../../../shared/batches/ledger.ts';
import { openBatch } from '../../../shared/batches/open-rows.ts';
import { nextRevision } from '../../../shared/batches/revisions.ts';
import { batchDate, newBatchId } from '../../../shared/contract/names.ts';
import { totalOperations } from '../../../shared/contract/operations.ts';
import { readPriceSheet } from '../../../shared/cost/sheet.ts';
import { getBatch } from '../../../shared/http/batches/get-batch.ts';
import { listBatches } from '../../../shared/http/batches/list-batches.ts';
import { batchListSchema, batchViewSchema } from '../../../shared/http/batches/schemas.ts';
import { problemSchema } from '../../../shared/http/edge/schemas.ts';
import { changeGate } from '../../../shared/wake/gate.ts';
import type { GateRow } from '../../../shared/wake/gate-row.ts';
import { type Answer, call, nextOf, type Pipeline, startPipeline } from './pipeline.ts';

const DAY_MS = 86_400_000;
let pipeline: Pipeline;
const ids: Record<'done' | 'running' | 'redriven' | 'unaccepted' | 'yesterday' | 'lastMonth', string> = {} as never;

/** A batch of another day: as another one is, under an id of that day. */
async function atDay(pattern: string, daysBack: number): Promise<string> {
  const id = newBatchId(Date.now() - daysBack * DAY_MS);
  const row = await changeBatch(pipeline.clients.batches, pattern, () => ({}));
  if (!row) throw new Error('no pattern');
  await insertBatch(pipeline.clients.batches, { ...row, id }, []);
  await indexBatch(pipeline.clients.batches, { ...row, id });
  return id;
}

beforeAll(async () => {
  pipeline = await startPipeline();
  const table = pipeline.clients.batches;
  ids.done = (await pipeline.submit([{ id: 'a' }, { id: 'b', reject: 'no' }])).id;
  const ended = await pipeline.finish(ids.done);
  ids.running = (
    await pipeline.submit(
      Array.from({ length: 5 }, (_, n) => ({ id: `r${n}` })),
      { lane: 'bulk' },
    )
  ).id;
  await pipeline.work(ids.running, 1);
  ids.redriven = (await pipeline.submit([{ id: 'c' }], { workload: 'other' })).id;
  await pipeline.finish(ids.redriven);
  await openBatch(table, { id: ids.redriven, workload: 'other', revision: 1 });
  const opening = { items: 1, openedAt: new Date().toISOString(), deadlineAt: new Date().toISOString() };
  await changeBatch(table, ids.redriven, (row) => ({
    ...nextRevision(row, opening),
    ...{ state: 'running', accepted: 2 },
  }));
  ids.unaccepted = newBatchId(Date.now());
  await indexBatch(table, { ...ended, id: ids.unaccepted, state: 'accepting' });
  ids.yesterday = await atDay(ids.done, 1);
  ids.lastMonth = await atDay(ids.done, 31);
});
afterAll(() => pipeline.stop());

const get = (query = ''): Promise<Answer> =>
  call(
    (request) => listBatches({ table: pipeline.clients.batches, now: pipeline.deps.gate.now }, request),
    `batches${query}`,
  );
const listed = (answer: Answer): string[] => batchListSchema.parse(answer.json()).batches.map(({ id }) => id);

describe('GET batches', () => {
  it('lists the last days, newest first, without what was never accepted', async () => {
    expect(listed(await get())).toEqual([ids.redriven, ids.running, ids.done, ids.yesterday]);
  });

  it('shows what is open as it is now', async () => {
    const { batches } = batchListSchema.parse((await get()).json());
    expect(batches[0]).toMatchObject({ id: ids.redriven, state: 'running', pending: 1, completedAt: null });
    expect(batches[1]).toMatchObject({ id: ids.running, state: 'running', lane: 'bulk', pending: 2, accepted: 5 });
    expect(batches[2]).toMatchObject({ state: 'completedWithDeadLetters', dead: 1, pending: 0 });
    expect(batches[2]?.completedAt).toMatch(/^\d{4}-.*Z$/);
  });

  it('lists a day that is long gone when it is named', async () => {
    const answer = await get(`?day=${batchDate(ids.lastMonth)}`);
    expect(listed(answer)).toEqual([ids.lastMonth]);
  });

  it('goes on across days by its links', async () => {
    const seen: string[] = [];
    for (let path: string | undefined = 'batches?limit=1'; path !== undefined; ) {
      const answer: Answer = await get(path.slice('batches'.length));
      seen.push(...listed(answer));
      path = nextOf(answer);
    }
    expect(seen).toEqual([ids.redriven, ids.running, ids.done, ids.yesterday]);
  });

  it('filters by workload and by the state of now', async () => {
    expect(listed(await get('?workload=other'))).toEqual([ids.redriven]);
    expect(listed(await get('?state=running'))).toEqual([ids.redriven, ids.running]);
    expect(listed(await get('?state=completedWithDeadLetters&limit=200'))).toEqual([ids.done, ids.yesterday]);
    expect(listed(await get('?workload=gone'))).toEqual([]);
  });

  it.each(['?day=2026-02-30', '?day=today', '?state=done', '?limit=201', '?after=1', '?workload=A_b'])(
    'refuses %s',
    async (query) => {
      const answer = await get(query);
      expect(answer.status).toBe(400);
      expect(problemSchema.parse(answer.json()).type).toMatch(/invalid-parameter$/);
    },
  );

  it('refuses to go on in another day than that of the batch named', async () => {
    expect((await get(`?day=2026-01-01&after=${ids.done}`)).status).toBe(400);
  });
});

describe('GET batches/{id}', () => {
  const prices = readPriceSheet('2026');
  const since = '2026-11-01T10:00:00.000Z';
  const paused = { by: 'circuit', reason: 'No thread could begin: NO_URL', since } as const;
  const show = async (id: string) => {
    const { deps } = pipeline;
    const before = totalOperations(pipeline.clients.meter.total());
    const answer = await call((request) => getBatch({ ...deps, prices }, request), `batches/${id}`, { params: { id } });
    const operations = totalOperations(pipeline.clients.meter.total()) - before;
    return { blocked: batchViewSchema.parse(answer.json()).blocked, operations };
  };

  it.each<[string, string, Partial<GateRow>, string]>([
    ['the circuit', 'echo-bulk-0', { paused }, 'paused by the circuit: No thread could begin: NO_URL'],
    [
      'an operator',
      'echo-results',
      { paused: { ...paused, by: 'operator', reason: 'audit' } },
      'paused by an operator: audit',
    ],
    ['no start', 'echo-bulk-0', { startFailure: { since, error: 'busy' } }, 'its drain cannot be started: busy'],
  ])('says what an unfinished batch waits for: %s', async (_what, queue, fields, reason) => {
    await changeGate(pipeline.deps.gate.table, queue, () => fields);

    expect(await show(ids.running)).toEqual({ blocked: { queue, since, reason }, operations: 2 });
    expect(await show(ids.done)).toEqual({ blocked: undefined, operations: 1 });

    await changeGate(pipeline.deps.gate.table, queue, () => ({ paused: undefined, startFailure: undefined }));
    expect((await show(ids.running)).blocked).toBeUndefined();
  });

  it('is not blocked by a queue of another lane', async () => {
    await changeGate(pipeline.deps.gate.table, 'echo-normal-0', () => ({ paused }));

    expect((await show(ids.running)).blocked).toBeUndefined();
  });
});
