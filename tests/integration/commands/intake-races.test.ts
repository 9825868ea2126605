import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { changeBatch } from '../../../shared/batches/ledger.ts';
import { cancelBatch } from '../../../shared/commands/cancel.ts';
import { redrive } from '../../../shared/commands/redrive/redrive.ts';
import { interposed } from '../../helpers/fakes/interposed.ts';
import { downstream, itemsOf, startWorld, type World } from '../in-process/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());
afterEach(() => downstream.broken.clear());

it('an intake that was delayed does not undo a cancel', async () => {
  const cancel = async () => {
    for (const id of await world.openIds()) await cancelBatch(world.deps, id);
  };

  const { id } = await world.submit(itemsOf(9), { deps: interposed(world.deps, 'sendMessage', cancel) });

  expect((await world.batch(id)).state).toBe('cancelling');
  await world.drainAll();
  expect(await world.batch(id)).toMatchObject({ state: 'cancelled', cancelled: 9 });
});

it('an intake that was delayed does not mark a later revision as queued', async () => {
  const id = await world.submitWithDead('b');
  const later = () => changeBatch(world.deps.table, id, () => ({ revision: 2, state: 'enqueueing' }));

  await redrive(interposed(world.deps, 'sendMessage', later), { batch: id, key: 'k', selection: {} });

  expect(await world.batch(id)).toMatchObject({ revision: 2, state: 'enqueueing' });
});
