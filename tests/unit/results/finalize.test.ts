import { expect, test } from 'vitest';
import { applyEnds } from '../../../shared/batches/apply-ends.ts';
import type { BatchRow } from '../../../shared/batches/batch-row.ts';
import { changeBatch, insertBatch, readBatch } from '../../../shared/batches/ledger.ts';
import { openBatch } from '../../../shared/batches/open-rows.ts';
import { announce, type FinalizeDeps, finalize } from '../../../shared/results/finalize.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { BATCH, batchRowOf, chunkRowOf, headerOf } from '../../helpers/factories.ts';
import { memoryBlobs } from '../../helpers/memory-blobs.ts';
import { memoryTable } from '../../helpers/memory-table.ts';
import { address } from '../drain/drain-fixtures.ts';

const NOW = '2026-01-01T00:01:00.000Z';

/** A batch of two chunks, of which those named have ended. */
async function batchWith(ends: Record<string, ReturnType<typeof headerOf>>) {
  const store = memoryTable();
  const { container, blobs } = memoryBlobs();
  const published: string[] = [];
  const deps: FinalizeDeps = {
    table: store.table,
    container,
    queues: () => {
      throw new Error('unreachable');
    },
    registry: createRegistry([address.workload]),
    meter: { measure: async (fn) => ({ value: await fn(), operations: {} }) },
    gate: { table: store.table, now: () => Date.parse(NOW) },
    visibilitySeconds: 300,
    addressOf: () => address,
    publish: async (_address, { type }, { messageId = '' } = {}) => void published.push(`${type} ${messageId}`),
  };
  const chunks = ['000000', '000001'].map((chunk) => chunkRowOf({ chunk }));
  await openBatch(store.table, batchRowOf());
  await insertBatch(store.table, batchRowOf({ accepted: 8, chunksTotal: 2 }), chunks);
  const list = Object.entries(ends).map(([chunk, header]) => ({ chunk, header }));
  if (list.length > 0) await applyEnds(store.table, BATCH, list, { at: NOW, operations: {} });
  const row = async (): Promise<BatchRow | undefined> => (await readBatch(store.table, BATCH))?.row;
  return { deps, store, blobs, published, row };
}

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

test('a batch that ends 40 days after its acceptance has its latencies, which are beyond an Int32', async () => {
  const { deps, row, store } = await batchWith({});
  const after = '2026-02-10T00:00:00.000Z';
  const ends = ['000000', '000001'].map((chunk) => ({ chunk, header: headerOf() }));
  await applyEnds(store.table, BATCH, ends, { at: after, operations: {} });

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

test('repeated, it changes nothing and tells nobody again', async () => {
  const { deps, row, published } = await batchWith({ '000000': headerOf(), '000001': headerOf() });
  await finalize(deps, BATCH);
  const before = await row();

  await finalize(deps, BATCH);

  expect(await row()).toEqual(before);
  expect(published).toHaveLength(1);
});

test('a batch that somebody settled and did not announce is announced by the next', async () => {
  const { deps, row, published } = await batchWith({ '000000': headerOf(), '000001': headerOf() });
  await changeBatch(deps.table, BATCH, () => ({ state: 'completed', announced: false, reportRevision: 0 }));

  await finalize(deps, BATCH);

  expect((await row())?.announced).toBe(true);
  expect(published).toEqual([`BatchCompleted completed-${BATCH}-0`]);
});

test('it is announced also by one whose own settling went through without an answer', async () => {
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
  const settled = await row();
  if (!settled) throw new Error('unreachable');
  await openBatch(deps.table, { ...settled, revision: 1 });
  await changeBatch(deps.table, BATCH, () => ({ state: 'accepting', revision: 1 }));

  await announce(deps, settled);

  expect(await row()).toMatchObject({ state: 'accepting', revision: 1, announced: false });
  expect(store.row('open', `${BATCH}.0001`)).toBeDefined();
});
