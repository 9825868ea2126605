import { describe, expect, test } from 'vitest';
import { applyOutcomes } from '../../../shared/batches/apply/apply-outcomes.ts';
import { changeBatch, insertChunks, readBatch } from '../../../shared/batches/ledger.ts';
import { writeOpenRow } from '../../../shared/batches/listing/open-rows.ts';
import { nextRevision } from '../../../shared/batches/revisions.ts';
import { announce } from '../../../shared/results/announce.ts';
import { finalize } from '../../../shared/results/finalize.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { BATCH, chunkRowOf, headerOf, outcomeOf } from '../../helpers/data/factories.ts';
import { interposed } from '../../helpers/fakes/interposed.ts';
import { batchWith, logged, NOW, partials, reportLines, summing } from './finalize-fixtures.ts';

test.each([
  ['completed', headerOf()],
  ['completedWithDeadLetters', headerOf({ dead: 1 })],
  ['cancelled', headerOf({ cancelled: 4 })],
] as const)('a batch ends %s', async (state, header) => {
  const { deps, row, published, blobs, store } = await batchWith({ '000000': headerOf(), '000001': header });

  await finalize(deps, BATCH);

  expect(await row()).toMatchObject({
    state,
    announced: true,
    reportRevision: 0,
    completedAt: NOW,
    latencyMax: 60_000,
  });
  expect(published).toEqual([`BatchCompleted completed-${BATCH}-0`]);
  expect([...blobs.keys()]).toEqual([`reports/${BATCH}/0000.ndjson.zst`]);
  expect(store.row('open', BATCH)).toBeUndefined();
});

test('counters that differ from the rows raise an alert, also those of discarded items', async () => {
  const { deps } = await batchWith({ '000000': headerOf(), '000001': headerOf({ dead: 1 }) });
  await changeBatch(deps.table, BATCH, () => ({ dead: 0, discarded: 1 }));

  const lines = await logged(() => finalize(deps, BATCH));

  const rows = { succeeded: 7, discarded: 0, cancelled: 0 };
  expect(lines).toContainEqual(
    expect.objectContaining({ event: 'conservation-mismatch', batch: BATCH, discarded: 1, rows }),
  );
});

const INVALID = headerOf({ dead: 4 }, { invalid: 4, causes: { 'invalid: InvalidItem: id: Required': 4 } });
const suspect = { causes: [{ cause: 'invalid: InvalidItem: id: Required', count: 8 }] };

test('a batch without a valid item ends as suspect, with the causes in its row, its event and its log', async () => {
  const { deps, row, store } = await batchWith({ '000000': INVALID, '000001': INVALID });
  const states: unknown[] = [];
  deps.publish = async (_address, { type, details }) => void states.push([type, details?.state]);

  const lines = await logged(() => finalize(deps, BATCH));

  expect(await row()).toMatchObject({ state: 'suspect', dead: 8, announced: true, reportRevision: 0, suspect });
  expect(states).toEqual([['BatchCompleted', 'suspect']]);
  const causes = { 'invalid: InvalidItem: id: Required': 8 };
  expect(lines).toContainEqual(
    expect.objectContaining({ event: 'batch-suspect', batch: BATCH, workload: 'billing', revision: 0, causes }),
  );
  expect(store.row('open', BATCH)).toBeUndefined();
});

test('a batch of invalid items with one cancelled item is cancelled, and has no causes', async () => {
  const { deps, row } = await batchWith({ '000000': INVALID, '000001': headerOf({ dead: 3, cancelled: 1 }) });

  const lines = await logged(() => finalize(deps, BATCH));

  expect(await row()).toMatchObject({ state: 'cancelled', dead: 7 });
  expect((await row())?.suspect).toBeUndefined();
  expect(lines.map(({ event }) => event)).not.toContain('batch-suspect');
});

test('a batch whose report cannot be created ends as reportFailed, not as suspect', async () => {
  // The partial aggregate does not exist.
  const partial = { offset: 0, length: 9, bytes: 9, items: 1, digest: '' };
  const { deps, row } = await batchWith({ '000000': INVALID, '000001': { ...INVALID, partial } }, summing());

  await finalize(deps, BATCH);

  expect(await row()).toMatchObject({ state: 'reportFailed', dead: 8 });
  expect((await row())?.suspect).toBeUndefined();
});

test('a suspect batch whose items have succeeded in the next revision no longer has causes', async () => {
  const { deps, row } = await batchWith({ '000000': INVALID, '000001': INVALID });
  await finalize(deps, BATCH);
  const opening = { items: 8, openedAt: NOW, deadlineAt: NOW };
  await changeBatch(deps.table, BATCH, (now) => ({
    ...{ ...nextRevision(now, opening), state: 'running', announced: false, dead: 0, chunksTotal: 3 },
  }));
  const opened = await row();
  await insertChunks(deps.table, [chunkRowOf({ chunk: 'v0001.000000', items: 8 })]);
  const end = outcomeOf('v0001.000000', headerOf({ items: 8 }));
  await applyOutcomes(deps.table, BATCH, [end], { at: NOW });

  await finalize(deps, BATCH);

  expect(opened?.suspect).toBeUndefined();
  expect(await row()).toMatchObject({ state: 'completed', succeeded: 8, revision: 1 });
  expect((await row())?.suspect).toBeUndefined();
});

test('a batch that ends 40 days after its acceptance has latencies that exceed an Int32', async () => {
  const { deps, row, store } = await batchWith({});
  const after = '2026-02-10T00:00:00.000Z';
  const ends = ['000000', '000001'].map((chunk) => ({ chunk, header: headerOf(), message: 'm' }));
  await applyOutcomes(store.table, BATCH, ends, { at: after });

  await finalize({ ...deps, gate: { ...deps.gate, now: () => Date.parse(after) } }, BATCH);

  const latency = 40 * 86_400_000;
  expect(await row()).toMatchObject({ state: 'completed', latencyP50: latency, latencyMax: latency });
  expect(store.row(BATCH, 'batch')?.latencyMax).toEqual({ type: 'Int64', value: String(latency) });
});

test('a batch with a pending chunk does not end', async () => {
  const { deps, row, published } = await batchWith({ '000000': headerOf() });

  await finalize(deps, BATCH);

  expect((await row())?.state).toBe('running');
  expect(published).toEqual([]);
});

test('a batch does not end by rows that are older than its counters: the last chunk ends between the two reads', async () => {
  const { deps, row, blobs } = await batchWith({ '000000': headerOf() });
  const last = () => applyOutcomes(deps.table, BATCH, [outcomeOf('000001', headerOf())], { at: NOW });

  await finalize(interposed(deps, 'getEntity', last), BATCH);

  expect((await row())?.state).toBe('running');
  expect([...blobs.keys()]).toEqual([]);
});

test('a batch does not end if a chunk is added between the reads of its rows and of its counters', async () => {
  const { deps, row, blobs } = await batchWith({ '000000': headerOf(), '000001': headerOf() });
  const added = async () => {
    await insertChunks(deps.table, [chunkRowOf({ chunk: '000001.r1' })]);
    await changeBatch(deps.table, BATCH, () => ({ chunksTotal: 3 }));
  };

  await finalize(interposed(deps, 'getEntity', added), BATCH);

  expect(await row()).toMatchObject({ state: 'running', chunksDone: 2, chunksTotal: 3 });
  expect([...blobs.keys()]).toEqual([]);
});

test('a finisher that was delayed does not change the end of another', async () => {
  const { deps, row, published } = await batchWith({ '000000': headerOf(), '000001': headerOf() });
  const late = { ...deps, gate: { ...deps.gate, now: () => Date.parse(NOW) + 60_000 } };
  let ended: unknown;

  await finalize(
    interposed(late, 'upload', async () => {
      await finalize(deps, BATCH);
      ended = await row();
    }),
    BATCH,
  );

  expect(await row()).toEqual(ended);
  expect(published).toHaveLength(1);
});

test('a finisher that was delayed does not end the revision that a redrive has opened meanwhile', async () => {
  const { deps, row, published } = await batchWith({ '000000': headerOf(), '000001': headerOf() });
  const redriven = async () => {
    const opening = { items: 8, openedAt: NOW, deadlineAt: NOW };
    await changeBatch(deps.table, BATCH, (now) => ({ ...nextRevision(now, opening), state: 'queued', chunksTotal: 3 }));
  };

  await finalize(interposed(deps, 'upload', redriven), BATCH);

  expect(await row()).toMatchObject({ state: 'queued', revision: 1, announced: false });
  expect((await row())?.completedAt).toBeUndefined();
  expect(published).toEqual([]);
});

test('a repeat changes nothing and publishes nothing again', async () => {
  const { deps, row, published } = await batchWith({ '000000': headerOf(), '000001': headerOf() });
  await finalize(deps, BATCH);
  const before = await row();

  await finalize(deps, BATCH);

  expect(await row()).toEqual(before);
  expect(published).toHaveLength(1);
});

test('a batch that was finished and not announced is announced by the next finisher', async () => {
  const { deps, row, published } = await batchWith({ '000000': headerOf(), '000001': headerOf() });
  await changeBatch(deps.table, BATCH, () => ({ state: 'completed', announced: false, reportRevision: 0 }));

  await finalize(deps, BATCH);

  expect((await row())?.announced).toBe(true);
  expect(published).toEqual([`BatchCompleted completed-${BATCH}-0`]);
});

test('a batch is also announced by a finisher whose own write lost its answer', async () => {
  const { deps, store, row, published } = await batchWith({ '000000': headerOf(), '000001': headerOf() });
  let lost = true;
  store.before(async (name) => {
    const batch = lost && name === 'table.write' ? await readBatch(store.table, BATCH) : undefined;
    if (batch?.row.state !== 'running') return;
    lost = false;
    await changeBatch(store.table, BATCH, () => ({ state: 'completed', announced: false, reportRevision: 0 }));
  });

  await finalize(deps, BATCH);

  expect((await row())?.announced).toBe(true);
  expect(published).toHaveLength(1);
});

test('a late end of one revision leaves the next one open', async () => {
  const { deps, row, store } = await batchWith({ '000000': headerOf(), '000001': headerOf({ dead: 1 }) });
  await changeBatch(deps.table, BATCH, () => ({ state: 'completedWithDeadLetters' }));
  const finished = await row();
  if (!finished) throw new Error('unreachable');
  await writeOpenRow(deps.table, { ...finished, revision: 1 });
  await changeBatch(deps.table, BATCH, () => ({ state: 'enqueueing', revision: 1 }));

  await announce(deps, finished);

  expect(await row()).toMatchObject({ state: 'enqueueing', revision: 1, announced: false });
  expect(store.row('open', `${BATCH}.0001`)).toBeDefined();
});

test('a missed deadline raises an alert, even if the finisher crashed immediately after the end', async () => {
  const { deps } = await batchWith({ '000000': headerOf(), '000001': headerOf() });
  const state = { state: 'completed', announced: false, reportRevision: 0 } as const;
  await changeBatch(deps.table, BATCH, () => ({ ...state, completedAt: '2026-01-01T00:05:00.001Z' }));

  const lines = await logged(() => finalize(deps, BATCH));

  expect(lines).toContainEqual(
    expect.objectContaining({ event: 'deadline-breached', completedAt: '2026-01-01T00:05:00.001Z' }),
  );
});

test('a missed deadline is logged before the end counts as announced', async () => {
  const { deps, store } = await batchWith({ '000000': headerOf(), '000001': headerOf() });
  await changeBatch(deps.table, BATCH, () => ({ deadlineAt: '2026-01-01T00:00:59.000Z' }));
  const order: string[] = [];
  store.before(async (name) => {
    if (name === 'table.write' && (await readBatch(store.table, BATCH))?.row.state === 'completed') order.push('write');
  });
  const heard = (line: string): void => void order.push((JSON.parse(line) as { event: string }).event);

  await withLog({ debug: heard, info: heard, warn: heard, error: heard }, () => finalize(deps, BATCH));

  expect(order.slice(0, 2)).toEqual(['batch-completed', 'deadline-breached']);
  expect(order).toContain('write');
});

describe('a batch whose workload is not deployed', () => {
  const NOT_DEPLOYED = { type: 'conflict', message: 'Workload "billing" is not deployed any more.' };

  test('does not change, and ends with its report and its event as soon as a deployment has the workload', async () => {
    const { deps, row, published, blobs, store } = await partials({});
    const before = [...blobs.keys()];

    await expect(finalize({ ...deps, registry: createRegistry([]) }, BATCH)).rejects.toMatchObject(NOT_DEPLOYED);

    expect(await row()).toMatchObject({ state: 'running', announced: false, reportRevision: -1 });
    expect([...blobs.keys()]).toEqual(before);
    expect(published).toEqual([]);
    expect(store.row('open', BATCH)).toBeDefined();

    await finalize(deps, BATCH);

    expect(await row()).toMatchObject({ state: 'completed', announced: true, reportRevision: 0 });
    expect(reportLines(blobs, 0)).toEqual(['{"key":"k","value":3}']);
    expect(published).toEqual([`BatchCompleted completed-${BATCH}-0`]);
  });

  test('is not announced without its event, if a crash prevented the publication', async () => {
    const { deps, row, published } = await partials({});
    await finalize({ ...deps, publish: () => Promise.reject(new Error('away')) }, BATCH).catch(() => undefined);
    expect(await row()).toMatchObject({ state: 'completed', announced: false });

    await expect(finalize({ ...deps, registry: createRegistry([]) }, BATCH)).rejects.toMatchObject(NOT_DEPLOYED);
    expect((await row())?.announced).toBe(false);
    await finalize(deps, BATCH);

    expect((await row())?.announced).toBe(true);
    expect(published).toEqual([`BatchCompleted completed-${BATCH}-0`]);
  });

  test('is left alone once its end is announced', async () => {
    const { deps, row } = await partials({});
    await finalize(deps, BATCH);

    await finalize({ ...deps, registry: createRegistry([]) }, BATCH);

    expect(await row()).toMatchObject({ state: 'completed', announced: true });
  });
});
