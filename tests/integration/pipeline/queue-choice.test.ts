import { afterAll, beforeAll, expect, it } from 'vitest';
import { queueOf } from '../../../shared/queues/queue-of.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { echo } from '../in-process/echo.ts';
import { itemsOf, startWorld, type World } from '../in-process/world.ts';

const WIDE = { ...echo, queuesPerLane: 4 };
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

it('batches of one chunk are put into different queues of their lane, and each wakes its queue only', async () => {
  const deps = { ...world.deps, registry: createRegistry([WIDE]) };
  const used = new Set<string>();
  for (let n = 0; n < 24; n++) {
    const row = await world.submit(itemsOf(3), { deps });
    const queue = queueOf(WIDE, row, '000000');
    used.add(queue);
    const [message] = (await world.clients.queue(queue).receiveMessages()).receivedMessageItems;

    expect(JSON.parse(String(message?.messageText))).toMatchObject({ batch: row.id, chunk: '000000' });
    expect(world.topic.takeWakes().map((wake) => wake.queue)).toEqual([queue]);
  }

  // All 24 are in one of four queues with a probability of 10^-14.
  expect(used.size).toBeGreaterThan(1);
});
