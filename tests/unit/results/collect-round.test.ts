import { expect, test } from 'vitest';
import type { ChunkEnd } from '../../../shared/batches/apply-ends.ts';
import { changeBatch, chunkRows, insertBatch, insertChunks, readBatch } from '../../../shared/batches/ledger.ts';
import { pausing } from '../../../shared/batches/pause.ts';
import { readReference } from '../../../shared/contract/reference.ts';
import { createCollectRound, groupsByRows } from '../../../shared/results/collect-round.ts';
import type { FinalizeDeps } from '../../../shared/results/finalize.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import type { Queue } from '../../../shared/wake/messages.ts';
import type { HaltRule } from '../../../shared/workload/define.ts';
import { createRegistry, type QueueAddress } from '../../../shared/workload/registry.ts';
import { BATCH, batchRowOf, chunkRowOf, endOf, headerOf, messageOf, serviceError } from '../../helpers/factories.ts';
import { memoryBlobs } from '../../helpers/memory-blobs.ts';
import { memoryTable } from '../../helpers/memory-table.ts';
import { address } from '../drain/drain-fixtures.ts';

const ends = (n: number, header = headerOf()) =>
  Array.from({ length: n }, (_, index) => endOf(String(index).padStart(6, '0'), header));
const parts = Array.from({ length: 32 }, (_, part): [number, number] => [part, 1]);

// A transaction takes 100 operations: the batch row, 98 rows of chunks, and one to spare.
test.each([
  ['98 ends fit one transaction', ends(98), [98]],
  ['99 need two', ends(99), [98, 1]],
  ['a retry brings a row of its own', ends(98, headerOf({ retried: 1 })), [49, 49]],
  ['a split brings a row a part', ends(4, headerOf({}, { ending: 'split', parts })), [2, 2]],
  ['nothing needs none', [], []],
])('%s', (_what, list, sizes) => {
  expect(groupsByRows(list).map((group) => group.length)).toEqual(sizes);
});

/** A collector on a batch of `chunks` chunks. A call that `fails` names throws, once. */
async function world(chunks: number, halt?: HaltRule) {
  const store = memoryTable();
  const registry = createRegistry([halt === undefined ? address.workload : { ...address.workload, halt }]);
  const puts: string[] = [];
  const published: { id: string; items: number | undefined; details: unknown }[] = [];
  const deleted: string[] = [];
  const lines: { event: string }[] = [];
  let fault: { on: string; error: Error } | undefined;
  const meet = (on: string): void => {
    if (fault?.on !== on) return;
    const { error } = fault;
    fault = undefined;
    throw error;
  };
  const queue = {
    deleteMessage: async (id: string) => void deleted.push(id),
    sendMessage: async (text: string) => {
      meet('put');
      const { chunk, resent = false } = readReference(text);
      puts.push(resent ? `${chunk} resent` : chunk);
    },
  } as unknown as Queue;
  const deps: FinalizeDeps = {
    table: store.table,
    container: memoryBlobs().container,
    queues: () => queue,
    registry,
    meter: { measure: async (fn) => ({ value: await fn(), operations: {} }) },
    gate: { table: memoryTable().table, now: () => Date.parse('2026-01-01T00:01:00.000Z') },
    visibilitySeconds: 300,
    addressOf: () => address,
    publish: async (_address, { type, items, details }, { messageId = '' } = {}) => {
      meet(type);
      if (type !== 'QueueWorkDetected') published.push({ id: messageId, items, details });
    },
  };
  const rows = ends(chunks).map(({ chunk }) => chunkRowOf({ chunk }));
  await insertBatch(store.table, batchRowOf({ accepted: 4 * chunks, chunksTotal: chunks }), rows);
  await insertChunks(store.table, rows.slice(98));
  const round = createCollectRound(deps, registry.queue('billing-results') as QueueAddress);
  const heard = (line: string): void => void lines.push(JSON.parse(line));
  const sink = { debug: () => {}, info: heard, warn: heard, error: heard };
  return {
    published,
    deleted,
    lines,
    puts,
    pause: () =>
      changeBatch(store.table, BATCH, (row) =>
        pausing(row, { by: 'operator', reason: 'why', at: '2026-01-01T00:00:40.000Z' }),
      ),
    pending: async () => {
      const rows: string[] = [];
      for await (const { row } of chunkRows(store.table, BATCH, 'pending')) rows.push(row.chunk);
      return rows;
    },
    row: async () => (await readBatch(store.table, BATCH))?.row,
    fail: (on: string, error: Error = new Error(on)): void => {
      fault = { on, error };
    },
    /** Delivers result messages, by their ids, in one round. */
    deliver: (messages: Record<string, ChunkEnd[]>) =>
      withLog(sink, () =>
        round(Object.entries(messages).map(([id, list]) => messageOf(textOf(list), { messageId: id }))),
      ),
  };
}

const textOf = (list: ChunkEnd[]): string =>
  JSON.stringify({
    v: 1,
    workload: 'billing',
    queue: 'billing-normal-0',
    chunks: list.map(({ chunk, header }) => ({ batch: BATCH, chunk, header })),
    operations: {},
    at: '2026-01-01T00:00:30.000Z',
  });

const one = headerOf({ dead: 1 }, { causes: { a: 1 } });
const two = headerOf({ dead: 2 }, { causes: { a: 1, b: 1 } });
const eventOf = (first: string, count: number, causes: Record<string, number>) => ({
  id: `dead-${BATCH}-${first}`,
  items: count,
  details: { count, causes },
});

test('dead letters are told by result message, before the end of their batch', async () => {
  const { deliver, published, deleted } = await world(3);

  await deliver({ m1: [endOf('000000', one), endOf('000001', two)], m2: [endOf('000002', two)] });

  expect(published.slice(0, 2)).toEqual([eventOf('000000', 3, { a: 2, b: 1 }), eventOf('000002', 2, { a: 1, b: 1 })]);
  expect(published[2]?.id).toBe(`completed-${BATCH}-0`);
  expect(deleted).toEqual(['m1', 'm2']);
});

test.each([
  ['the topic refuses the event', 'ItemsDeadLettered', one],
  ['a reference of what follows cannot be put', 'put', headerOf({ dead: 1, retried: 1 }, { causes: { a: 1 } })],
])('they are told, and logged for the alert, although %s after the transaction', async (_what, fault, header) => {
  const { deliver, fail, published, deleted, lines } = await world(2);
  fail(fault);
  await deliver({ m1: [endOf('000000', header)] });
  expect([published, deleted]).toEqual([[], []]);

  // The message comes again, now beside another one.
  await deliver({ m0: [endOf('000001')], m1: [endOf('000000', header)] });

  expect(published[0]).toEqual(eventOf('000000', 1, { a: 1 }));
  expect(deleted).toContain('m1');
  expect(lines.map(({ event }) => event)).toContain('items-dead-lettered');
});

test('a repeat of an end by another message is told of no more', async () => {
  const { deliver, published } = await world(3);
  await deliver({ m1: [endOf('000000', one)] });

  await deliver({ m2: [endOf('000000', one), endOf('000001', two)] });

  expect(published).toEqual([eventOf('000000', 1, { a: 1 }), eventOf('000001', 2, { a: 1, b: 1 })]);
});

test.each([
  ['an outage is waited out', serviceError(503), 'collect-deferred'],
  ['a topic that is away is an outage', Object.assign(new Error('away'), { retryable: true }), 'collect-deferred'],
  ['what no outage explains is an alert', serviceError(400), 'collect-failed'],
])('%s', async (_what, error, event) => {
  const { deliver, fail, deleted, lines } = await world(1);
  fail('ItemsDeadLettered', error);

  await deliver({ m1: [endOf('000000', one)] });

  expect(lines.at(-1)?.event).toBe(event);
  expect(deleted).toEqual([]);
});

const again = headerOf({ retried: 1 });

test('a repeat of an end puts what follows once more, and says so: the first reference may have run by then', async () => {
  const { deliver, puts } = await world(2);

  await deliver({ m1: [endOf('000000', again)] });
  await deliver({ m2: [endOf('000000', again)] });

  expect(puts).toEqual(['000000.r1', '000000.r1 resent']);
});

test('what follows in a paused batch has its row and no reference, at a repeat of the end, too', async () => {
  const { deliver, pause, pending, puts, deleted } = await world(2);
  await pause();

  await deliver({ m1: [endOf('000000', again)] });
  await deliver({ m2: [endOf('000000', again)] });

  expect([puts, await pending(), deleted]).toEqual([[], ['000000.r1', '000001'], ['m1', 'm2']]);
});

test('a batch of too many dead letters is paused by the transaction that counts them, and its follow-ups wait', async () => {
  const bad = headerOf({ dead: 3, retried: 1 }, { causes: { 'no such account': 3 } });
  const { deliver, lines, pending, puts, row } = await world(3, { deadShare: 0.5, after: 3 });

  await deliver({ m1: [endOf('000000', bad)] });

  const reason = expect.stringMatching(/^3 of 3 items .* most often: no such account$/);
  expect(await row()).toMatchObject({ state: 'paused', paused: { by: 'halt', reason }, dead: 3, chunksDone: 1 });
  expect([puts, await pending()]).toEqual([[], ['000000.r1', '000001', '000002']]);
  expect(lines).toContainEqual(expect.objectContaining({ event: 'batch-paused', by: 'halt', reason }));
});

test('a process that dies after it has paused a batch does not keep it from the alert', async () => {
  const { deliver, fail, lines } = await world(2, { deadShare: 0, after: 1 });
  fail('ItemsDeadLettered');
  await deliver({ m1: [endOf('000000', one)] });
  lines.length = 0;

  await deliver({ m1: [endOf('000000', one)] });

  expect(lines.map(({ event }) => event)).toContain('batch-paused');
});

test('a batch that pauses by its rule and ends by the same result message is no alert', async () => {
  // Two transactions: the first pauses the batch, and the second ends it.
  const bad = ends(99).map(({ chunk }) => endOf(chunk, one));
  const { deliver, lines, row } = await world(99, { deadShare: 0, after: 1 });

  await deliver({ m1: bad });

  expect((await row())?.state).toBe('completedWithDeadLetters');
  expect(lines.map(({ event }) => event)).not.toContain('batch-paused');
});

test('a paused batch ends when nothing of it is pending', async () => {
  const { deliver, pause, row } = await world(1);
  await pause();

  await deliver({ m1: [endOf('000000')] });

  expect(await row()).toMatchObject({ state: 'completed', announced: true });
  expect(await row()).toMatchObject({ pausedMs: 20_000 });
  expect((await row())?.paused).toBeUndefined();
});
