import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { changeBatch, readBatch } from '../../../shared/batches/ledger.ts';
import { redrive } from '../../../shared/commands/redrive/redrive.ts';
import type { Selection } from '../../../shared/commands/redrive/select.ts';
import { dyingAt } from '../../helpers/fakes/crashes.ts';
import { interposed } from '../../helpers/fakes/interposed.ts';
import { downstream, itemsOf, startWorld, type World } from '../in-process/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());
afterEach(() => downstream.broken.clear());

const redriveOf = (batch: string, selection: Selection, { key = 'k', deps = world.deps } = {}) =>
  redrive(deps, { batch, key, selection });

it('opens no revision of a batch that is being deleted since its dead letters were selected', async () => {
  const id = await world.submitWithDead('b');
  const deletingAt = new Date(world.deps.gate.now()).toISOString();
  // The last write before the transaction that opens the revision.
  const deps = interposed(world.deps, 'upsertEntity', () => changeBatch(world.deps.table, id, () => ({ deletingAt })));

  await expect(redriveOf(id, {}, { deps })).rejects.toMatchObject({
    type: 'conflict',
    message: expect.stringMatching(/is being deleted/),
  });

  expect((await readBatch(world.deps.table, id))?.row.revision ?? 0).toBe(0);
});

it('opens no revision of a batch that is running again since its dead letters were selected', async () => {
  const id = await world.submitWithDead('b', 'c');
  const other = () => redriveOf(id, { cause: 'rejected: Reject: c is broken' }, { key: 'other' });
  const deps = interposed(world.deps, 'upsertEntity', other);

  await expect(redriveOf(id, {}, { deps })).rejects.toMatchObject({
    type: 'conflict',
    message: expect.stringMatching(/is queued/),
  });

  await world.drainAll();
  expect(await world.batch(id)).toMatchObject({ revision: 1, succeeded: 6, dead: 3 });
});

it('opens no revision of a batch that another redrive has run to its end since its dead letters were selected', async () => {
  const id = await world.submitWithDead('b', 'c');
  const other = async () => {
    await redriveOf(id, { cause: 'rejected: Reject: c is broken' }, { key: 'other' });
    await world.drainAll();
  };
  const deps = interposed(world.deps, 'upsertEntity', other);

  await expect(redriveOf(id, {}, { deps })).rejects.toMatchObject({
    ...{ type: 'conflict', message: expect.stringMatching(/was redriven in the meantime/) },
  });

  expect(await world.batch(id)).toMatchObject({ revision: 1, succeeded: 6, dead: 3 });
});

it('selects nothing while the batch runs: its later dead letters would be missing after its end', async () => {
  downstream.broken.add('b');
  const { id } = await world.submit(itemsOf(9));
  world.topic.events.length = 0;
  await world.drainOne('echo-normal-0');
  await world.drainUnasked('echo-results');
  expect(await world.batch(id)).toMatchObject({ state: 'running', dead: 1 });
  await expect(redriveOf(id, {})).rejects.toMatchObject({ type: 'conflict' });
  await world.drainUnasked('echo-normal-0');
  await world.drainAll();

  expect(await redriveOf(id, {})).toMatchObject({ redriven: 3 });
  await world.drainAll();
});

it('publishes the end of the last revision first, if that was missed: no sweep would see it later', async () => {
  const id = await world.submitWithDead('b');
  await changeBatch(world.deps.table, id, () => ({ announced: false }));
  world.topic.events.length = 0;

  await redriveOf(id, {});

  const ends = world.topic.events.filter(({ type, batch }) => type === 'BatchCompleted' && batch === id);
  expect(ends.map(({ details }) => details?.revision)).toEqual([0]);
});

it('keeps the selection that was stored first for a key, and refuses another request with that key', async () => {
  const id = await world.submitWithDead('b', 'c');
  const deps = interposed(world.deps, 'upload', () => redriveOf(id, { items: [1] }));

  await expect(redriveOf(id, { items: [2, 5] }, { deps })).rejects.toMatchObject({ type: 'idempotency-mismatch' });

  await world.drainAll();
  expect(await world.batch(id)).toMatchObject({ revision: 1, succeeded: 4, dead: 5 });
  expect(await world.deadIndices(id)).toEqual([2, 4, 5, 7, 8]);
});

it('selects again for a key whose selection was stored before a crash and is outdated since', async () => {
  const id = await world.submitWithDead('b', 'c');
  await expect(redriveOf(id, {}, { deps: dyingAt(world.deps, 1) })).rejects.toThrow();
  await redriveOf(id, { items: [1, 2] }, { key: 'other' });
  await world.drainAll();

  expect(await redriveOf(id, {})).toMatchObject({ revision: 2, redriven: 4 });

  await world.drainAll();
  expect(await world.batch(id)).toMatchObject({ state: 'completed', succeeded: 9, dead: 0 });
});
