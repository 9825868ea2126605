import { expect, test } from 'vitest';
import type { BatchState } from '../../../shared/batches/batch-row.ts';
import { toChunkEntity } from '../../../shared/batches/chunk-row.ts';
import { changeBatch, insertBatch, readBatch } from '../../../shared/batches/ledger.ts';
import { pauseBatch, resumeBatch } from '../../../shared/commands/pause.ts';
import type { EventDetails, PublishOptions } from '../../../shared/events/publish.ts';
import type { PauseWish } from '../../../shared/pauses.ts';
import type { Queue } from '../../../shared/queues/messages.ts';
import type { FinalizeDeps } from '../../../shared/results/finalize.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { BATCH, batchRowOf, chunkRowOf, readChunkReference } from '../../helpers/data/factories.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';
import { SILENT_LOG } from '../../helpers/fakes/silent-log.ts';
import { address } from '../drain/drain-fixtures.ts';

const NOW = Date.parse('2026-01-01T00:01:00.000Z');
const CHUNKS = ['000000', '000001'];

/** A batch of two pending chunks, and the messages that are put into its queue. */
async function world(state: BatchState) {
  const store = memoryTable();
  const published: { id: string; items: number | undefined; labels: unknown; details: unknown }[] = [];
  let isAway = false;
  const puts: { chunk: string; resent: boolean; resumes: number | undefined; delay: number }[] = [];
  let beforePut = async (): Promise<void> => {};
  const sendMessage = async (text: string, { visibilityTimeout = 0 } = {}) => {
    await beforePut();
    const { chunk, resent = false, resumes } = readChunkReference(text);
    puts.push({ chunk, resent, resumes, delay: visibilityTimeout });
  };
  const deps = {
    table: store.table,
    queues: () => ({ sendMessage }) as unknown as Queue,
    registry: createRegistry([address.workload]),
    publish: async (_address: unknown, event: EventDetails, { messageId = '' }: PublishOptions = {}) => {
      if (event.type === 'QueueWorkDetected') return;
      if (isAway) throw new Error('The topic is unavailable.');
      const { items, labels, details } = event;
      published.push({ id: messageId, items, labels, details });
    },
    addressOf: () => address,
    gate: { table: memoryTable().table, now: () => NOW },
  } as unknown as FinalizeDeps;
  const rows = CHUNKS.map((chunk) => chunkRowOf({ chunk }));
  await insertBatch(
    store.table,
    batchRowOf({ state, accepted: 8, chunksTotal: 2, labels: { month: '2026-09' } }),
    rows,
  );
  const quietly = <T>(fn: () => Promise<T>): Promise<T> => withLog(SILENT_LOG, fn);
  return {
    ...{ store, puts, published },
    topicIsAway: (away: boolean): void => {
      isAway = away;
    },
    row: async () => (await readBatch(store.table, BATCH))?.row,
    change: (change: Parameters<typeof changeBatch>[2]) => changeBatch(store.table, BATCH, change),
    onPut: (hook: () => Promise<void>) => {
      beforePut = hook;
    },
    pause: (reason = 'why', wish: PauseWish = {}) => quietly(() => pauseBatch(deps, BATCH, { reason, ...wish })),
    resume: (options: { since?: string; untilMs?: number } = {}) =>
      quietly(() => resumeBatch(deps, BATCH, { since: new Date(NOW).toISOString(), ...options })),
  };
}

test('a pause records its reason and time, and a resume restores the previous state', async () => {
  const { pause, resume, row, change } = await world('running');
  await change(() => ({ startedAt: '2026-01-01T00:00:30.000Z', succeeded: 3, dead: 1 }));

  const paused = await pause('wrong file');
  expect(paused).toMatchObject({ state: 'paused', paused: { by: 'operator', reason: 'wrong file' } });
  expect(paused.paused?.at).toBe('2026-01-01T00:01:00.000Z');

  await resume();
  expect(await row()).toMatchObject({ state: 'running', haltFrom: { succeeded: 3, dead: 1 }, pausedMs: 0 });
  expect(await row()).not.toHaveProperty('paused');
});

test('returns the present row if it is repeated or its response was lost', async () => {
  const { pause, store } = await world('queued');
  const { updateEntity } = store.table;
  let isLost = false;
  store.table.updateEntity = (async (...args: Parameters<typeof updateEntity>) => {
    const answer = await updateEntity(...args);
    if (isLost) return answer;
    isLost = true;
    // The SDK's own retry finds the new ETag.
    throw Object.assign(new Error('changed'), { statusCode: 412, code: 'UpdateConditionNotSatisfied' });
  }) as typeof updateEntity;

  const first = await pause('first');

  expect(first).toMatchObject({ state: 'paused', paused: { reason: 'first' } });
  expect(await pause('first')).toEqual(first);
});

test('a resume ends only the pause that it names', async () => {
  const { pause, resume, row, change } = await world('queued');
  const seen = '2026-01-01T00:00:40.000Z';
  await pause();
  await change(({ paused }) => ({ paused: paused && { ...paused, at: seen } }));
  // Another operator, with another reason.
  await pause('not before noon');

  await expect(resume({ since: seen })).rejects.toMatchObject({
    type: 'conflict',
    message: `Batch ${BATCH} has another pause now: since 2026-01-01T00:01:00.000Z by operator: not before noon. The request ends the pause since ${seen}.`,
  });

  expect(await row()).toMatchObject({ state: 'paused', paused: { reason: 'not before noon' }, pausedMs: 20_000 });
  await resume();
  expect((await row())?.state).toBe('queued');
});

test.each([
  [{ forSeconds: 90 }, { until: '2026-01-01T00:02:30.000Z', reason: 'why' }],
  [{ reason: undefined }, { reason: 'first' }],
  [{ reason: 'first' }, { reason: 'first' }],
])('a second pause %o of a paused batch is kept if it adds something', async (wish, paused) => {
  const { pause } = await world('queued');
  await pause('first');

  expect((await pause('why', wish)).paused).toEqual({ by: 'operator', at: new Date(NOW).toISOString(), ...paused });
});

test.each([
  ['enqueueing', /being accepted; it can be paused in a moment/],
  ['cancelling', /being cancelled/],
  ['completed', /nothing to pause/],
] as const)('a batch that is %s is not paused', async (state, text) => {
  const { pause, row } = await world(state);
  const before = await row();

  await expect(pause()).rejects.toMatchObject({ type: 'conflict', message: expect.stringMatching(text) });

  expect(await row()).toEqual(before);
});

test.each(['enqueueing', 'queued', 'running', 'cancelling', 'completed'] as const)(
  'a batch that is %s is not resumed',
  async (state) => {
    const { resume, puts } = await world(state);

    await expect(resume()).rejects.toMatchObject({ type: 'conflict', message: expect.stringMatching(/is not paused/) });
    expect(puts).toEqual([]);
  },
);

test('a resume puts each pending row as resent after the state has changed, delayed until it is due', async () => {
  const { pause, resume, puts, row, onPut, store } = await world('queued');
  const due = chunkRowOf({ chunk: '000000.r1', dueAt: '2026-01-01T00:02:00.000Z' });
  await store.table.createEntity(toChunkEntity(due));
  await pause();
  const states: unknown[] = [];
  onPut(async () => void states.push((await row())?.state, (await row())?.resumingAt));

  expect(await resume()).toEqual({ sent: 3, isWhole: true });

  expect(puts.toSorted((a, b) => (a.chunk < b.chunk ? -1 : 1))).toEqual([
    { chunk: '000000', resent: true, resumes: 1, delay: 0 },
    { chunk: '000000.r1', resent: true, resumes: 1, delay: 60 },
    { chunk: '000001', resent: true, resumes: 1, delay: 0 },
  ]);
  expect(new Set(states)).toEqual(new Set(['queued', '2026-01-01T00:01:00.000Z']));
  expect((await row())?.resumingAt).toBeUndefined();
});

test('an unfinished resume does not remove the mark of a later one', async () => {
  const { pause, resume, row, onPut } = await world('queued');
  await pause();
  let isFirst = true;
  onPut(async () => {
    if (!isFirst) return;
    isFirst = false;
    await pause();
    // The later one dies after its change of the state, in the same millisecond.
    onPut(async () => {
      throw new Error('dead');
    });
    await expect(resume()).rejects.toThrow('dead');
    onPut(async () => {});
  });

  await resume();

  expect(await row()).toMatchObject({ state: 'queued', resumes: 2, resumingAt: '2026-01-01T00:01:00.000Z' });
});

test('a resume that runs out of time leaves the rest to the sweep', async () => {
  const { pause, resume, row, store } = await world('queued');
  for (let n = 2; n < 600; n += 1) {
    const chunk = String(n).padStart(6, '0');
    await store.table.createEntity(toChunkEntity(chunkRowOf({ chunk })));
  }
  await pause();

  expect(await resume({ untilMs: NOW })).toEqual({ sent: 500, isWhole: false });
  expect((await row())?.resumingAt).toBeDefined();
});

const eventOf = (id: string, details: unknown) => ({ id, items: 8, labels: { month: '2026-09' }, details });
const pausedEvent = (resumes: number) =>
  eventOf(`paused-${BATCH}-0-${resumes}`, { by: 'operator', reason: 'why', revision: 0 });
const resumedEvent = (resumes: number) => eventOf(`resumed-${BATCH}-0-${resumes}`, { revision: 0, pausedSeconds: 0 });

test('each pause and each resume is published with a separate message id', async () => {
  const { pause, resume, published } = await world('queued');

  for (let n = 0; n < 2; n += 1) {
    await pause();
    await resume();
  }

  expect(published).toEqual([pausedEvent(0), resumedEvent(1), pausedEvent(1), resumedEvent(2)]);
});

test('the event of a resume contains the total time for which the revision was paused', async () => {
  const { pause, resume, published, change } = await world('queued');
  await pause();
  const since = '2026-01-01T00:00:29.500Z';
  await change(({ paused }) => ({ paused: paused && { ...paused, at: since }, pausedMs: 1_000 }));

  await resume({ since });

  expect(published[1]?.details).toEqual({ revision: 0, pausedSeconds: 31.5 });
});

test('a pause succeeds while the topic is unavailable, and its repeat publishes the event', async () => {
  const { pause, published, topicIsAway } = await world('queued');
  topicIsAway(true);
  expect(await pause()).toMatchObject({ state: 'paused' });
  topicIsAway(false);

  await pause();

  expect(published).toEqual([pausedEvent(0)]);
});

test('a resume puts its references while the topic is unavailable, and keeps its mark until the event is published', async () => {
  const { pause, resume, row, puts, published, topicIsAway } = await world('queued');
  await pause();
  topicIsAway(true);
  expect(await resume()).toEqual({ sent: 2, isWhole: true });
  expect(puts).toHaveLength(2);
  expect((await row())?.resumingAt).toBeDefined();
  topicIsAway(false);

  await resume();

  expect(published).toEqual([pausedEvent(0), resumedEvent(1)]);
  expect((await row())?.resumingAt).toBeUndefined();
});
