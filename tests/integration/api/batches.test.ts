import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeBatch, insertBatch } from '../../../shared/batches/ledger.ts';
import { indexBatch } from '../../../shared/batches/listing/index-rows.ts';
import { writeOpenRow } from '../../../shared/batches/listing/open-rows.ts';
import { nextRevision } from '../../../shared/batches/revisions.ts';
import { batchDate, newBatchId } from '../../../shared/contract/names.ts';
import { totalOperations } from '../../../shared/contract/operations.ts';
import type { GateRow } from '../../../shared/gate/gate-row.ts';
import { changeGate } from '../../../shared/gate/gate-store.ts';
import { getBatch } from '../../../shared/http/batches/get-batch.ts';
import { batchListSchema, listBatches } from '../../../shared/http/batches/list-batches.ts';
import { batchViewSchema } from '../../../shared/http/batches/schemas.ts';
import { problemSchema } from '../../../shared/http/edge/schemas.ts';
import { BASIS } from '../../helpers/fakes/receipt-basis.ts';
import { type Answer, call, nextOf } from './call.ts';
import { type Pipeline, startPipeline } from './pipeline.ts';

const DAY_MS = 86_400_000;
let pipeline: Pipeline;
const ids: Record<'done' | 'running' | 'redriven' | 'unaccepted' | 'yesterday' | 'lastMonth', string> = {} as never;

/** Creates a batch like another one, with an id of another day. */
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
  await writeOpenRow(table, { ...ended, id: ids.redriven, workload: 'other', revision: 1 });
  const opening = { items: 1, openedAt: new Date().toISOString(), deadlineAt: new Date().toISOString() };
  await changeBatch(table, ids.redriven, (row) => ({
    ...nextRevision(row, opening),
    ...{ state: 'running', accepted: 2 },
  }));
  ids.unaccepted = newBatchId(Date.now());
  await writeOpenRow(table, { ...ended, id: ids.unaccepted });
  ids.yesterday = await atDay(ids.done, 1);
  ids.lastMonth = await atDay(ids.done, 31);
});
afterAll(() => pipeline.stop());

const get = (query = ''): Promise<Answer> => call((request) => listBatches(pipeline.deps, request), `batches${query}`);
const listed = (answer: Answer): string[] => batchListSchema.parse(answer.json()).batches.map(({ id }) => id);

describe('GET batches', () => {
  it('lists the last days, newest first, without batches that were never accepted', async () => {
    expect(listed(await get())).toEqual([ids.redriven, ids.running, ids.done, ids.yesterday]);
  });

  it('shows the current state of open batches', async () => {
    const { batches } = batchListSchema.parse((await get()).json());
    expect(batches[0]).toMatchObject({ id: ids.redriven, state: 'running', pending: 1, completedAt: null });
    expect(batches[1]).toMatchObject({ id: ids.running, state: 'running', lane: 'bulk', pending: 2, accepted: 5 });
    expect(batches[2]).toMatchObject({ state: 'completedWithDeadLetters', dead: 1, pending: 0 });
    expect(batches[2]?.completedAt).toMatch(/^\d{4}-.*Z$/);
  });

  it('lists an old day if it is requested', async () => {
    const answer = await get(`?day=${batchDate(ids.lastMonth)}`);
    expect(listed(answer)).toEqual([ids.lastMonth]);
  });

  it('continues across days through its links', async () => {
    const seen: string[] = [];
    for (let path: string | undefined = 'batches?limit=1'; path !== undefined; ) {
      const answer: Answer = await get(path.slice('batches'.length));
      seen.push(...listed(answer));
      path = nextOf(answer);
    }
    expect(seen).toEqual([ids.redriven, ids.running, ids.done, ids.yesterday]);
  });

  it('filters by workload and by current state', async () => {
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

  it('refuses to continue on a day other than that of the given batch', async () => {
    expect((await get(`?day=2026-01-01&after=${ids.done}`)).status).toBe(400);
  });
});

describe('GET batches/{id}', () => {
  const since = '2026-11-01T10:00:00.000Z';
  const paused = { by: 'circuit', reason: 'No thread could begin: NO_URL', since } as const;
  // One query in five begins with an empty page, which costs one more operation. Of three calls with up to three queries each,
  // at least one is not affected.
  const show = async (id: string) => {
    const calls = [await showOnce(id), await showOnce(id), await showOnce(id)];
    return calls.reduce((least, each) => (each.operations < least.operations ? each : least));
  };
  const showOnce = async (id: string) => {
    const { deps } = pipeline;
    const before = totalOperations(pipeline.clients.meter.total());
    const answer = await call((request) => getBatch({ ...deps, basis: BASIS }, request), `batches/${id}`, {
      params: { id },
    });
    const operations = totalOperations(pipeline.clients.meter.total()) - before;
    const { blocked, waiting } = batchViewSchema.parse(answer.json());
    return { blocked, waiting, operations };
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
  ])('returns why an unfinished batch waits: %s', async (_what, queue, fields, reason) => {
    await changeGate(pipeline.deps.gate.table, queue, () => fields);

    // A third operation counts what is ahead of the batch. A batch that waits only for its results has run.
    const isOfItems = queue !== 'echo-results';
    const ahead = { queue, batchesAhead: 0, itemsAhead: 0, reason };
    expect(await show(ids.running)).toEqual({
      ...{ blocked: { queue, since, reason }, operations: isOfItems ? 3 : 2 },
      waiting: isOfItems ? ahead : undefined,
    });
    expect(await show(ids.done)).toEqual({ blocked: undefined, waiting: undefined, operations: 1 });

    await changeGate(pipeline.deps.gate.table, queue, () => ({ paused: undefined, startFailure: undefined }));
    expect((await show(ids.running)).blocked).toBeUndefined();
  });

  it('is not blocked by a queue of another lane', async () => {
    await changeGate(pipeline.deps.gate.table, 'echo-normal-0', () => ({ paused }));

    expect((await show(ids.running)).blocked).toBeUndefined();
  });
});
