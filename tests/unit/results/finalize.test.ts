import { expect, test } from 'vitest';
import { z } from 'zod';
import { applyEnds } from '../../../shared/batches/apply-ends.ts';
import type { BatchRow } from '../../../shared/batches/batch-row.ts';
import { changeBatch, insertBatch, readBatch } from '../../../shared/batches/ledger.ts';
import { openBatch } from '../../../shared/batches/open-rows.ts';
import { outcomeBlobName } from '../../../shared/contract/names.ts';
import { encodeOutcome } from '../../../shared/processing/outcome/encode-outcome.ts';
import { announce, type FinalizeDeps, finalize } from '../../../shared/results/finalize.ts';
import { parseReport } from '../../../shared/results/read-report.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { defineWorkload, type Reduce, type Workload } from '../../../shared/workload/define.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { BATCH, batchRowOf, chunkRowOf, endOf, headerOf, serviceError } from '../../helpers/factories.ts';
import { memoryBlobs } from '../../helpers/memory-blobs.ts';
import { memoryTable } from '../../helpers/memory-table.ts';
import { address } from '../drain/drain-fixtures.ts';

const NOW = '2026-01-01T00:01:00.000Z';

/** A batch of two chunks, of which those named have ended. */
async function batchWith(ends: Record<string, ReturnType<typeof headerOf>>, workload: Workload = address.workload) {
  const store = memoryTable();
  const { container, blobs } = memoryBlobs();
  const published: string[] = [];
  const deps: FinalizeDeps = {
    table: store.table,
    container,
    queues: () => {
      throw new Error('unreachable');
    },
    registry: createRegistry([workload]),
    meter: { measure: async (fn) => ({ value: await fn(), operations: {} }) },
    gate: { table: store.table, now: () => Date.parse(NOW) },
    visibilitySeconds: 300,
    addressOf: () => address,
    publish: async (_address, { type }, { messageId = '' } = {}) => void published.push(`${type} ${messageId}`),
  };
  const chunks = ['000000', '000001'].map((chunk) => chunkRowOf({ chunk }));
  await openBatch(store.table, batchRowOf());
  await insertBatch(store.table, batchRowOf({ accepted: 8, chunksTotal: 2 }), chunks);
  const list = Object.entries(ends).map(([chunk, header]) => endOf(chunk, header));
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
  const ends = ['000000', '000001'].map((chunk) => ({ chunk, header: headerOf(), message: 'm' }));
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

test('a batch that somebody finished and did not announce is announced by the next', async () => {
  const { deps, row, published } = await batchWith({ '000000': headerOf(), '000001': headerOf() });
  await changeBatch(deps.table, BATCH, () => ({ state: 'completed', announced: false, reportRevision: 0 }));

  await finalize(deps, BATCH);

  expect((await row())?.announced).toBe(true);
  expect(published).toEqual([`BatchCompleted completed-${BATCH}-0`]);
});

test('it is announced also by one whose own write went through without an answer', async () => {
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
  await openBatch(deps.table, { ...finished, revision: 1 });
  await changeBatch(deps.table, BATCH, () => ({ state: 'accepting', revision: 1 }));

  await announce(deps, finished);

  expect(await row()).toMatchObject({ state: 'accepting', revision: 1, announced: false });
  expect(store.row('open', `${BATCH}.0001`)).toBeDefined();
});

/** Runs `fn`, and gives the log lines that it wrote. */
async function logged(fn: () => Promise<void>): Promise<{ event: string; error?: { message: string } }[]> {
  const lines: string[] = [];
  const heard = (line: string): void => void lines.push(line);
  await withLog({ debug: heard, info: heard, warn: heard, error: heard }, fn);
  return lines.map((line) => JSON.parse(line));
}

test('a missed deadline is an alert, also when whoever finished the batch died right after it', async () => {
  const { deps } = await batchWith({ '000000': headerOf(), '000001': headerOf() });
  const state = { state: 'completed', announced: false, reportRevision: 0 } as const;
  await changeBatch(deps.table, BATCH, () => ({ ...state, completedAt: '2026-01-01T00:05:00.001Z' }));

  const lines = await logged(() => finalize(deps, BATCH));

  expect(lines).toContainEqual(
    expect.objectContaining({ event: 'deadline-breached', completedAt: '2026-01-01T00:05:00.001Z' }),
  );
});

test('it is told before the end counts as announced', async () => {
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

type Sum = Reduce<unknown, unknown>;
const sum: Sum = { key: () => 'k', init: () => 0, add: () => 1, merge: (a, b) => Number(a) + Number(b) };

/** Two chunks that ended with a partial aggregate each, and a workload with `reduce`. */
async function partials(reduce: Partial<Sum>, lines = ['{"key":"k","value":1}', '{"key":"k","value":2}']) {
  const counts = { items: 4, succeeded: 4, dead: 0, cancelled: 0, retried: 0 };
  const outcomes = lines.map((line) => encodeOutcome({ ending: 'processed', counts }, { partial: [line] }));
  const ends = Object.fromEntries(outcomes.map(({ header }, index) => [`00000${index}`, header]));
  const options = { name: 'billing', version: 1, item: z.unknown(), map: (item: unknown) => item };
  const made = await batchWith(ends, defineWorkload({ ...options, reduce: { ...sum, ...reduce } }));
  for (const [index, { body }] of outcomes.entries()) {
    const name = `results/${outcomeBlobName('billing', BATCH, `00000${index}`)}`;
    made.blobs.set(name, { body: Buffer.from(body), metadata: {} });
  }
  return made;
}

const hostile = '\uffff\ud800\u0000';

test.each<[string, Partial<Sum>, RegExp, string[]?]>([
  ['merge throws', { merge: () => fail(new TypeError('no amount')) }, /^The merge of key "k" .*TypeError: no amount$/],
  ['merge throws what is no error', { merge: () => fail(7) }, /Error: 7$/],
  ['merge throws characters that storage refuses', { merge: () => fail(new Error(hostile)) }, /Error: \ufffd{3}$/],
  [
    'merge gives what JSON has no word for',
    { merge: () => 1n },
    /^The value of key "k" .*TypeError: report.k is a bigint/,
  ],
  ['merge gives nothing', { merge: () => undefined }, /^The value of key "k" .*report.k is undefined/],
  ['there are too many keys', { maxKeys: 1 }, /more than 1 keys/, ['{"key":"a","value":1}', '{"key":"b","value":1}']],
  [
    'a stored partial is not JSON',
    {},
    /^The partial aggregate of chunk 000001 .*SyntaxError/,
    ['{"key":"k","value":1}', '{'],
  ],
])('a batch whose report cannot be made is finished without one: %s', async (_what, reduce, problem, lines) => {
  const { deps, row, published, blobs } = await partials(reduce, lines);

  const log = await logged(() => finalize(deps, BATCH));

  expect(await row()).toMatchObject({ state: 'completed', announced: true, reportRevision: -1 });
  expect((await row())?.reportProblem).toMatch(problem);
  expect([...blobs.keys()].filter((name) => name.startsWith('reports/'))).toEqual([]);
  expect(published).toEqual([`BatchCompleted completed-${BATCH}-0`]);
  expect(log.find(({ event }) => event === 'report-failed')?.error?.message).toMatch(problem);
});

test('a partial aggregate that is gone or damaged leaves a batch without a report, not open', async () => {
  const { deps, row, blobs } = await partials({});
  const [first, second] = [...blobs.keys()];
  blobs.delete(String(second));

  await finalize(deps, BATCH);

  expect((await row())?.reportProblem).toMatch(/^The partial aggregate of chunk 000001 .*is not there/);
  expect(blobs.has(String(first))).toBe(true);
});

test.each([503, 403, 404])(
  'a fault of storage (%i) leaves the batch open, to be ended when it has passed',
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
    const report = parseReport(blobs.get(`reports/${BATCH}/0000.ndjson.zst`)?.body ?? Buffer.of());
    expect(report.lines).toEqual(['{"key":"k","value":3}']);
  },
);

function fail(thrown: unknown): never {
  throw thrown;
}
