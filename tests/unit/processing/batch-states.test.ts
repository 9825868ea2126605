import { expect, test } from 'vitest';
import { changeBatch, insertBatch } from '../../../shared/batches/ledger.ts';
import { createBatchStates, type ReadBatchFacts } from '../../../shared/processing/batch-states.ts';
import { BATCH, batchRowOf, chunkRowOf } from '../../helpers/data/factories.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';

/** Reads for a chunk that is not the first one of the batch. */
const ofLaterChunk = (read: ReadBatchFacts) => (batch: string) => read(batch, '000001');

/** A batch in a table that counts its reads. */
async function world(state: 'queued' | 'running' | 'paused' | 'cancelling' | 'completed') {
  const { table, before } = memoryTable();
  await insertBatch(table, batchRowOf({ state }), []);
  const reads = { count: 0, changes: 0 };
  before(async (name) => {
    if (name === 'table.get') reads.count += 1;
  });
  const read = ofLaterChunk(createBatchStates(table, () => reads.changes, 32));
  return { table, reads, read, stateOf: async (batch: string) => (await read(batch))?.state };
}

test.each(['queued', 'running'] as const)(
  'a batch that is %s is read once, even by many callers at the same time',
  async (state) => {
    const { stateOf, reads } = await world(state);

    expect(await Promise.all([stateOf(BATCH), stateOf(BATCH)])).toEqual([state, state]);
    expect(await stateOf(BATCH)).toBe(state);
    expect(reads.count).toBe(1);
  },
);

test.each(['paused', 'cancelling', 'completed'] as const)('a batch that is %s is read each time', async (state) => {
  const { stateOf, table } = await world(state);
  const before = await stateOf(BATCH);
  // A redrive has opened it again.
  await changeBatch(table, BATCH, () => ({ state: 'running' }));

  expect([before, await stateOf(BATCH)]).toEqual([state, 'running']);
});

test('a batch that does not exist is read each time', async () => {
  const { table } = memoryTable();
  const read = ofLaterChunk(createBatchStates(table, () => 0, 32));
  const stateOf = async (batch: string) => (await read(batch))?.state;
  const before = await stateOf(BATCH);
  await insertBatch(table, batchRowOf({ state: 'queued' }), []);

  expect([before, await stateOf(BATCH)]).toEqual([undefined, 'queued']);
});

test('a batch whose read failed is read again', async () => {
  const { stateOf, reads, table } = await world('running');
  const { getEntity } = table;
  table.getEntity = (() => Promise.reject(new Error('away'))) as typeof getEntity;
  await expect(stateOf(BATCH)).rejects.toThrow('away');
  table.getEntity = getEntity;

  expect(await stateOf(BATCH)).toBe('running');
  expect(reads.count).toBe(1);
});

test('after a batch was found to be cancelled or paused, cached states are read again, once', async () => {
  const { stateOf, reads } = await world('running');
  await stateOf(BATCH);
  reads.changes += 1;

  await stateOf(BATCH);
  await stateOf(BATCH);

  expect(reads.count).toBe(2);
});

test('the deadline of a batch is read with its state', async () => {
  const { read } = await world('running');

  expect(await read(BATCH)).toEqual({ state: 'running', deadlineAt: batchRowOf().deadlineAt, pending: 1 });
});

test('a batch that was resumed is not taken for paused by a caller that joined an earlier read', async () => {
  const { stateOf, table } = await world('paused');
  const { getEntity } = table;
  let answer = (): void => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  // The service has answered the first read, but the answer has not arrived.
  table.getEntity = (async (...args: Parameters<typeof getEntity>) => {
    const entity = await getEntity(...args);
    await held;
    return entity;
  }) as typeof getEntity;
  const early = stateOf(BATCH);
  await changeBatch({ ...table, getEntity }, BATCH, () => ({ state: 'running' }));
  table.getEntity = getEntity;
  const late = [stateOf(BATCH), stateOf(BATCH)];
  answer();

  expect(await Promise.all([early, ...late])).toEqual(['paused', 'running', 'running']);
});

test('the row of the first chunk is read by the same operation, if the batch has no other chunk', async () => {
  const { table } = memoryTable();
  await insertBatch(table, batchRowOf({ chunksTotal: 1 }), [chunkRowOf({ chunk: '000000' })]);

  const facts = await createBatchStates(table, () => 0, 32)(BATCH, '000000');

  expect(facts).toMatchObject({ pending: 1, read: { batch: { row: { id: BATCH } } } });
  expect(facts?.read?.chunks.get('000000')?.row.state).toBe('pending');
});

test('the number of pending chunks is unknown for a batch that is larger than a receive', async () => {
  const { table } = memoryTable();
  await insertBatch(table, batchRowOf({ chunksTotal: 33 }), []);

  const facts = await createBatchStates(table, () => 0, 32)(BATCH, '000000');

  expect([facts?.pending, facts?.read]).toEqual([undefined, undefined]);
});
