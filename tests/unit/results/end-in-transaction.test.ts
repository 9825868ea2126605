/** The end of a batch in the transaction that ends its last chunks. */
import { expect, test } from 'vitest';
import { changeBatch } from '../../../shared/batches/ledger.ts';
import { collectBatch } from '../../../shared/results/collect-batch.ts';
import { BATCH, headerOf, outcomeOf } from '../../helpers/data/factories.ts';
import { batchWith, fail, NOW } from './finalize-fixtures.ts';

const both = (header = headerOf()) => [outcomeOf('000000', header), outcomeOf('000001', header)];

/** Records the names of the table's calls from now on. */
function callsOf({ store }: Awaited<ReturnType<typeof batchWith>>): string[] {
  const calls: string[] = [];
  store.before(async (name) => void calls.push(name));
  return calls;
}

test('the batch row is written twice: with the last ends, and when the end is announced', async () => {
  const batch = await batchWith({});
  const calls = callsOf(batch);

  await collectBatch(batch.deps, BATCH, { workload: 'echo', outcomes: both() });

  // Read, transaction, line, announced, `open` removed.
  expect(calls).toEqual(['table.list', 'table.write', 'table.write', 'table.write', 'table.write']);
  expect(await batch.row()).toMatchObject({
    ...{ state: 'completed', announced: true, reportRevision: 0, completedAt: NOW, chunksDone: 2, succeeded: 8 },
    latencyMax: 60_000,
  });
  expect(batch.published).toEqual([`BatchCompleted completed-${BATCH}-0`]);
  expect(batch.store.row('open', BATCH)).toBeUndefined();
});

test('the state is derived from all chunks', async () => {
  const batch = await batchWith({});

  await collectBatch(batch.deps, BATCH, { workload: 'echo', outcomes: both(headerOf({ dead: 1 })) });

  expect(await batch.row()).toMatchObject({ state: 'completedWithDeadLetters', dead: 2 });
});

test.each([
  ['a chunk is pending', [outcomeOf('000000', headerOf())]],
  ['a retry chunk follows', [outcomeOf('000000', headerOf()), outcomeOf('000001', headerOf({ retried: 1 }))]],
])('nothing ends, and no report is written, while %s', async (_what, outcomes) => {
  const batch = await batchWith({});
  batch.deps.queues = () => ({ sendMessage: async () => ({}) }) as never;

  await collectBatch(batch.deps, BATCH, { workload: 'echo', outcomes });

  expect(await batch.row()).toMatchObject({ state: 'running', reportRevision: -1 });
  expect(batch.blobs.size).toBe(0);
});

test('a transaction that is refused is repeated, with the report that was written for it', async () => {
  const batch = await batchWith({});
  const uploads: string[] = [];
  const { container } = batch.deps;
  batch.deps.container = (name) => {
    uploads.push(name);
    return container(name);
  };
  let isChanged = false;
  batch.store.before(async (name) => {
    if (isChanged || name !== 'table.write') return;
    isChanged = true;
    await changeBatch(batch.deps.table, BATCH, () => ({ state: 'paused', duplicatesSeen: 1 }));
  });

  await collectBatch(batch.deps, BATCH, { workload: 'echo', outcomes: both() });

  expect(await batch.row()).toMatchObject({ state: 'completed', duplicatesSeen: 1, chunksDone: 2, succeeded: 8 });
  expect(uploads).toEqual(['reports']);
  expect(batch.published).toHaveLength(1);
});

test('a report that storage refuses leaves the chunks pending: the message that ended them comes again', async () => {
  const batch = await batchWith({});
  const { container } = batch.deps;
  batch.deps.container = () => fail(new Error('away'));

  await expect(collectBatch(batch.deps, BATCH, { workload: 'echo', outcomes: both() })).rejects.toThrow('away');
  expect(await batch.row()).toMatchObject({ chunksDone: 0, succeeded: 0 });

  batch.deps.container = container;
  await collectBatch(batch.deps, BATCH, { workload: 'echo', outcomes: both() });
  expect(await batch.row()).toMatchObject({ state: 'completed', succeeded: 8, duplicatesSeen: 0 });
  expect(batch.published).toHaveLength(1);
});
