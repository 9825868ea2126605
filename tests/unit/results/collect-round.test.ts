import { describe, expect, test } from 'vitest';
import type { ChunkEnd } from '../../../shared/batches/apply/plan-apply.ts';
import { changeBatch, chunkRows, insertBatch, insertChunks, readBatch } from '../../../shared/batches/ledger.ts';
import { pausing } from '../../../shared/batches/pause.ts';
import { writeProgress } from '../../../shared/batches/progress/progress-rows.ts';
import { createCollectRound, groupsByRows } from '../../../shared/results/collect-round.ts';
import type { FinalizeDeps } from '../../../shared/results/finalize.ts';
import { createMergeAhead } from '../../../shared/results/merge-ahead.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { readGate } from '../../../shared/wake/gate/gate-store.ts';
import type { Queue } from '../../../shared/wake/messages.ts';
import type { HaltRule } from '../../../shared/workload/define.ts';
import { createRegistry, type QueueAddress } from '../../../shared/workload/registry.ts';
import {
  BATCH,
  batchRowOf,
  chunkRowOf,
  endOf,
  headerOf,
  messageOf,
  readChunkReference,
  serviceError,
} from '../../helpers/data/factories.ts';
import { memoryBlobs } from '../../helpers/fakes/memory-blobs.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';
import { uncounted } from '../../helpers/fakes/spending.ts';
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

const OPENED = '2026-01-01T00:00:00.000Z';

/**
 * A collector on a batch of `chunks` chunks that was opened 50 seconds ago. A call that `fails` names throws, once.
 */
async function world(chunks: number, options: { halt?: HaltRule; resultsReady?: boolean } = {}) {
  const store = memoryTable();
  const registry = createRegistry([{ ...address.workload, ...options }]);
  const gates = memoryTable().table;
  const puts: string[] = [];
  const published: { id: string; items: number | undefined; details: unknown }[] = [];
  let nowMs = Date.parse('2026-01-01T00:01:00.000Z');
  const deleted: string[] = [];
  const lines: { event: string }[] = [];
  const faults = new Map<string, Error>();
  const meet = (on: string): void => {
    const error = faults.get(on);
    faults.delete(on);
    if (error !== undefined) throw error;
  };
  const returned: { id: string; seconds: number; text: string | undefined }[] = [];
  const queue = {
    deleteMessage: async (id: string) => void deleted.push(id),
    updateMessage: async (id: string, _receipt: string, text: string | undefined, seconds: number) => {
      meet('return');
      returned.push({ id, seconds, text });
      return { popReceipt: 'next' };
    },
    sendMessage: async (text: string) => {
      meet('put');
      const { chunk, resent = false } = readChunkReference(text);
      puts.push(resent ? `${chunk} resent` : chunk);
    },
  } as unknown as Queue;
  const deps: FinalizeDeps = {
    table: store.table,
    container: memoryBlobs().container,
    queues: () => queue,
    registry,
    ...uncounted(),
    gate: { table: gates, now: () => nowMs },
    needsWake: async () => true,
    visibilitySeconds: 300,
    mergeAhead: createMergeAhead(createRegistry([])),
    addressOf: () => address,
    publish: async (_address, { type, items, details }, { messageId = '' } = {}) => {
      meet(type);
      if (type !== 'QueueWorkDetected') published.push({ id: messageId, items, details });
    },
  };
  const rows = ends(chunks).map(({ chunk }) => chunkRowOf({ chunk }));
  await insertBatch(
    store.table,
    batchRowOf({ accepted: 4 * chunks, chunksTotal: chunks, openedAt: '2026-01-01T00:00:10.000Z', queuedAt: OPENED }),
    rows,
  );
  await insertChunks(store.table, rows.slice(98));
  const round = createCollectRound(deps, registry.queue('billing-results') as QueueAddress, 1);
  const heard = (line: string): void => void lines.push(JSON.parse(line));
  const sink = { debug: () => {}, info: heard, warn: heard, error: heard };
  return {
    published,
    deleted,
    returned,
    /** When messages of the result queue become visible, as the gate knows it. */
    due: async () => (await readGate(gates, 'billing-results')).row.due,
    lines,
    puts,
    wait: (ms: number): void => {
      nowMs += ms;
    },
    redrive: () => changeBatch(store.table, BATCH, (row) => ({ revision: row.revision + 1, state: 'queued' })),
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
    fail: (on: string, error: Error = new Error(on)): void => void faults.set(on, error),
    setTime: (at: string): void => {
      nowMs = Date.parse(at);
    },
    /** How far the running chunks of the batch are in one process. */
    runs: (ended: number) =>
      writeProgress(
        store.table,
        { batch: BATCH, processId: 'p' },
        { chunks: 1, items: 100, ended, inFlight: 1, failing: 0, at: new Date(nowMs).toISOString() },
      ),
    calls: (): string[] => {
      const calls: string[] = [];
      store.before(async (name) => void calls.push(name));
      return calls;
    },
    /** Delivers result messages, by their ids, in one round. */
    deliver: (messages: Record<string, ChunkEnd[]>) =>
      withLog(sink, () =>
        round(Object.entries(messages).map(([id, list]) => messageOf(textOf(list, id), { messageId: id }))),
      ),
  };
}

/** Messages of other puts are of other times. `m1 again` is a message that says the same as `m1`, since its put was repeated. */
const textOf = (list: ChunkEnd[], id: string): string =>
  JSON.stringify({
    v: 1,
    workload: 'billing',
    queue: 'billing-normal-0',
    chunks: list.map(({ chunk, header }) => ({ batch: BATCH, chunk, header })),
    operations: { 'blob.put': 1 },
    at: `2026-01-01T00:00:3${/\d/.exec(id)?.[0] ?? 0}.000Z`,
  });

const one = headerOf({ dead: 1 }, { causes: { a: 1 } });
const two = headerOf({ dead: 2 }, { causes: { a: 1, b: 1 } });
const eventOf = (first: string, count: number, causes: Record<string, number>) => ({
  id: `dead-${BATCH}-${first}`,
  items: count,
  details: { count, causes },
});

test('dead letters are published per result message, before the end of their batch', async () => {
  const { deliver, published, deleted } = await world(3);

  await deliver({ m1: [endOf('000000', one), endOf('000001', two)], m2: [endOf('000002', two)] });

  expect(published.slice(0, 2)).toEqual([eventOf('000000', 3, { a: 2, b: 1 }), eventOf('000002', 2, { a: 1, b: 1 })]);
  expect(published[2]?.id).toBe(`completed-${BATCH}-0`);
  expect(deleted).toEqual(['m1', 'm2']);
});

test.each([
  ['the topic refuses the event', 'ItemsDeadLettered', one],
  ['a reference of what follows cannot be put', 'put', headerOf({ dead: 1, retried: 1 }, { causes: { a: 1 } })],
])('they are published, and logged for the alert, although %s after the transaction', async (_what, fault, header) => {
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

test.each([
  ['at once', [['m1', 'm1 again']]],
  ['one after the other', [['m1'], ['m1 again']]],
])('a message that was put twice, since its answer was lost, is charged once: %s', async (_when, deliveries) => {
  const { deliver, row } = await world(3);
  for (const ids of deliveries) await deliver(Object.fromEntries(ids.map((id) => [id, [endOf('000000')]])));
  await deliver({ m2: [endOf('000000')] });

  // The other is of a worker that ran the reference again.
  expect((await row())?.operations['blob.put']).toBe(2);
});

test('a repeat of an end by another message is not published again', async () => {
  const { deliver, published } = await world(3);
  await deliver({ m1: [endOf('000000', one)] });

  await deliver({ m2: [endOf('000000', one), endOf('000001', two)] });

  expect(published).toEqual([eventOf('000000', 1, { a: 1 }), eventOf('000001', 2, { a: 1, b: 1 })]);
});

test.each([
  ['storage', serviceError(503)],
  ['the topic', Object.assign(new Error('away'), { retryable: true })],
])('after an outage of %s a message is visible again in five seconds, which the gate knows', async (_what, error) => {
  const { deliver, fail, deleted, returned, due, lines } = await world(1);
  fail('ItemsDeadLettered', error);

  await deliver({ m1: [endOf('000000', one)] });

  expect(lines.at(-1)?.event).toBe('collect-deferred');
  expect([deleted, returned]).toEqual([[], [{ id: 'm1', seconds: 5, text: undefined }]]);
  expect(await due()).toEqual(['2026-01-01T00:01:05.000Z']);
});

test('what no outage explains is an alert, and is tried again when the message becomes visible by itself', async () => {
  const { deliver, fail, deleted, returned, due, lines } = await world(1);
  fail('ItemsDeadLettered', serviceError(400));

  await deliver({ m1: [endOf('000000', one)] });

  expect(lines.at(-1)?.event).toBe('collect-failed');
  expect([deleted, returned, await due()]).toEqual([[], [], []]);
});

test('a message that cannot be returned either is logged beside the outage, and the round ends', async () => {
  const { deliver, fail, deleted, returned, lines } = await world(1);
  fail('ItemsDeadLettered', serviceError(503));
  fail('return', serviceError(500));

  await expect(deliver({ m1: [endOf('000000', one)] })).resolves.toMatchObject({ received: 1, done: 0 });

  expect(lines.map(({ event }) => event).slice(-2)).toEqual(['collect-deferred', 'message-not-returned']);
  expect([deleted, returned]).toEqual([[], []]);
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
  const { deliver, lines, pending, puts, row } = await world(3, { halt: { deadShare: 0.5, after: 3 } });

  await deliver({ m1: [endOf('000000', bad)] });

  const reason = expect.stringMatching(/^3 of 3 items .* most often: no such account$/);
  expect(await row()).toMatchObject({ state: 'paused', paused: { by: 'halt', reason }, dead: 3, chunksDone: 1 });
  expect([puts, await pending()]).toEqual([[], ['000000.r1', '000001', '000002']]);
  expect(lines).toContainEqual(expect.objectContaining({ event: 'batch-paused', by: 'halt', reason }));
});

test('a process that dies after it has paused a batch does not keep it from the alert and the event', async () => {
  const { deliver, fail, lines, published } = await world(2, { halt: { deadShare: 0, after: 1 } });
  fail('ItemsDeadLettered');
  await deliver({ m1: [endOf('000000', one)] });
  lines.length = 0;

  await deliver({ m1: [endOf('000000', one)] });

  expect(lines.map(({ event }) => event)).toContain('batch-paused');
  const details = { by: 'halt', reason: expect.stringMatching(/^1 of 4 items/), revision: 0 };
  expect(published).toContainEqual({ id: `paused-${BATCH}-0-0`, items: 8, details });
});

test('results that are collected after the rule has paused their batch are no further alert and event', async () => {
  const { deliver, lines, published, wait } = await world(3, { halt: { deadShare: 0, after: 1 } });
  await deliver({ m1: [endOf('000000', one)] });
  wait(1_000);
  [lines.length, published.length] = [0, 0];

  await deliver({ m2: [endOf('000001')] });

  expect(lines.map(({ event }) => event)).not.toContain('batch-paused');
  expect(published).toEqual([]);
});

test('a batch that pauses by its rule and ends by the same result message is no alert and no event', async () => {
  // Two transactions: the first pauses the batch, and the second ends it.
  const bad = ends(99).map(({ chunk }) => endOf(chunk, one));
  const { deliver, lines, published, row } = await world(99, { halt: { deadShare: 0, after: 1 } });

  await deliver({ m1: bad });

  expect((await row())?.state).toBe('completedWithDeadLetters');
  expect(lines.map(({ event }) => event)).not.toContain('batch-paused');
  expect(published.filter(({ id }) => id.startsWith('paused-'))).toEqual([]);
});

test('a paused batch ends when nothing of it is pending', async () => {
  const { deliver, pause, row } = await world(1);
  await pause();

  await deliver({ m1: [endOf('000000')] });

  expect(await row()).toMatchObject({ state: 'completed', announced: true });
  expect(await row()).toMatchObject({ pausedMs: 20_000 });
  expect((await row())?.paused).toBeUndefined();
});

const idsOf = (published: { id: string }[], type: string): string[] =>
  published.map(({ id }) => id).filter((id) => id.startsWith(`${type}-`));
const progressId = (percent: number): string => `progress-${BATCH}-0-${percent}`;

describe('progress', () => {
  test('is published once per threshold and minute, with the highest that was passed, and not at the end', async () => {
    const { deliver, published, wait } = await world(8);
    const chunk = (n: number): ChunkEnd => endOf(`00000${n}`);

    // 50 seconds after the opening, 61 and 100 seconds, and then two minutes and more.
    await deliver({ m1: [chunk(0), chunk(1)] });
    expect(idsOf(published, 'progress')).toEqual([]);
    wait(11_000);
    await deliver({ m2: [chunk(2)] });
    wait(39_000);
    await deliver({ m3: [chunk(3)] });
    expect(idsOf(published, 'progress')).toEqual([progressId(25)]);
    wait(60_000);
    await deliver({ m4: [chunk(4), chunk(5)] });
    wait(60_000);
    await deliver({ m5: [chunk(6), chunk(7)] });

    expect(idsOf(published, 'progress')).toEqual([progressId(25), progressId(75)]);
    const ended = { succeeded: 12, dead: 0, discarded: 0, cancelled: 0 };
    const counts = { accepted: 32, ...ended, retried: 0, duplicatesSeen: 0 };
    expect(published[0]).toEqual({ id: progressId(25), items: 32, details: { percent: 25, revision: 0, counts } });
    expect(published.at(-1)?.id).toBe(`completed-${BATCH}-0`);
  });

  test('that a crash kept from its event is published by the next delivery of the message, and by no other', async () => {
    const { deliver, fail, published, deleted, wait } = await world(8);
    wait(60_000);
    fail('BatchProgress');
    await deliver({ m1: [endOf('000000'), endOf('000001')] });
    expect([published, deleted]).toEqual([[], []]);
    wait(1_000);
    await deliver({ m2: [endOf('000002')] });
    expect(published).toEqual([]);

    await deliver({ m1: [endOf('000000'), endOf('000001')] });

    expect(idsOf(published, 'progress')).toEqual([progressId(25)]);
    expect(deleted).toEqual(['m2', 'm1']);
  });

  test('of a delivery whose second transaction ends the batch is not published', async () => {
    const { deliver, published, wait } = await world(99);
    wait(60_000);

    await deliver({ m1: ends(99) });

    expect(published.map(({ id }) => id)).toEqual([`completed-${BATCH}-0`]);
  });
});

describe('ResultsReady', () => {
  const dead = headerOf({ succeeded: 0, dead: 4 });
  const ready = (published: { id: string; details: unknown }[]) =>
    published.filter(({ id }) => id.startsWith('results-')).map(({ details }) => details);

  test('is published by no workload that does not ask for it', async () => {
    const { deliver, published } = await world(2);

    await deliver({ m1: [endOf('000000')] });

    expect(published).toEqual([]);
  });

  test('is one per transaction, names the chunks with results, and comes before the end', async () => {
    const { deliver, published } = await world(4, { resultsReady: true });

    await deliver({ m1: [endOf('000002', one), endOf('000000')], m2: [endOf('000001', dead)] });
    await deliver({ m3: [endOf('000003', headerOf({ succeeded: 1, cancelled: 3 }))] });

    expect(ready(published)).toEqual([
      { chunks: ['000000', '000002'], succeeded: 7, dead: 1, revision: 0 },
      { chunks: ['000003'], succeeded: 1, dead: 0, revision: 0 },
    ]);
    expect(published.filter(({ id }) => id.startsWith('results-')).map(({ items }) => items)).toEqual([8, 4]);
    expect(new Set(idsOf(published, 'results')).size).toBe(2);
    expect(published.at(-1)?.id).toBe(`completed-${BATCH}-0`);
  });

  test('is published for each of two transactions of a delivery', async () => {
    const { deliver, published } = await world(100, { resultsReady: true });

    await deliver({ m1: ends(99) });

    const chunks = ready(published).map((details) => (details as { chunks: string[] }).chunks.length);
    expect(chunks).toEqual([98, 1]);
  });

  test('that a crash kept from the topic is published by the next delivery, with the same id, and not by a copy', async () => {
    const { deliver, fail, published, deleted, wait } = await world(3, { resultsReady: true });
    fail('ResultsReady');
    await deliver({ m1: [endOf('000000'), endOf('000001')] });
    expect([published, deleted]).toEqual([[], []]);
    wait(1_000);
    // A copy of the result message by a worker that ran the reference again.
    await deliver({ m2: [endOf('000000'), endOf('000001')] });
    expect(published).toEqual([]);

    fail('ItemsDeadLettered');
    await deliver({ m1: [endOf('000000'), endOf('000001')], m3: [endOf('000002', dead)] });
    await deliver({ m1: [endOf('000000'), endOf('000001')] });

    const details = { chunks: ['000000', '000001'], succeeded: 8, dead: 0, revision: 0 };
    expect(ready(published)).toEqual([details, details]);
    expect(new Set(idsOf(published, 'results')).size).toBe(1);
  });

  test('of a message that comes again after a redrive names the revision of its chunks', async () => {
    const { deliver, published, redrive } = await world(1, { resultsReady: true });
    await deliver({ m1: [endOf('000000')] });
    await redrive();

    await deliver({ m1: [endOf('000000')] });

    expect(ready(published).map((details) => (details as { revision: number }).revision)).toEqual([0, 0]);
  });
});

describe('a batch whose chunks end too slowly', () => {
  const LATE = '2026-01-01T00:01:30.000Z';
  // Four of 40 items in 90 s: the rest takes until 00:15, and the deadline is 00:05.
  const risk = { deadlineAt: '2026-01-01T00:05:00.000Z', ended: 4, items: 40, revision: 0 };
  const event = { id: `at-risk-${BATCH}-0`, items: 40, details: { ...risk, expectedAt: '2026-01-01T00:15:00.000Z' } };

  test('is found to be at risk by the transaction that counts them, once, and this costs no operation', async () => {
    const { deliver, published, lines, row, calls, setTime } = await world(10);
    setTime(LATE);
    const made = calls();

    await deliver({ m1: [endOf('000000')] });
    setTime('2026-01-01T00:04:00.000Z');
    await deliver({ m2: [endOf('000001', headerOf(), 'm2')] });

    expect(published).toEqual([event]);
    expect(lines.filter(({ event }) => event === 'deadline-at-risk')).toMatchObject([
      { batch: BATCH, ...event.details },
    ]);
    expect((await row())?.atRiskAt).toBe(LATE);
    expect(made.slice(0, 4)).toEqual(['table.list', 'table.write', 'table.list', 'table.write']);
  });

  test('is published when the message comes again, if the topic was away after the transaction', async () => {
    const { deliver, fail, published, deleted, setTime } = await world(10);
    setTime(LATE);
    fail('DeadlineAtRisk');
    await deliver({ m1: [endOf('000000')] });
    expect([published, deleted]).toEqual([[], []]);

    await deliver({ m1: [endOf('000000')] });

    expect(published).toEqual([event]);
    expect(deleted).toEqual(['m1']);
  });

  test('is not at risk while its running chunks are about to end', async () => {
    const { deliver, runs, published, row, setTime } = await world(10);
    setTime(LATE);
    await runs(32);

    await deliver({ m1: [endOf('000000')] });

    expect([published, (await row())?.atRiskAt]).toEqual([[], undefined]);
  });

  test('is not at risk when these are its last ones, however late', async () => {
    const { deliver, published, setTime } = await world(1);
    setTime('2026-01-01T00:09:00.000Z');

    await deliver({ m1: [endOf('000000')] });

    expect(published.map(({ id }) => id)).toEqual([`completed-${BATCH}-0`]);
  });
});
