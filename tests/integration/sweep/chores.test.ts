import { describe, expect, it } from 'vitest';
import { redrive } from '../../../shared/commands/redrive/redrive.ts';
import { checkpointBlobName, newBatchId } from '../../../shared/contract/names.ts';
import { sweep } from '../../../shared/sweep/sweep.ts';
import { DONE, did, HOUR, ITEMS, MINUTE, RESULTS, useWorld } from '../in-process/use-world.ts';
import { inventory, itemsOf } from '../in-process/world.ts';

const use = useWorld();

describe('once a day', () => {
  it('the sweep deletes expired data, and nothing else', async () => {
    const old = await use.world.submit(itemsOf(9), { key: 'old' });
    await use.world.drainAll();
    use.world.wait(29 * 24 * HOUR);
    const young = await use.world.submit(itemsOf(9), { key: 'young' });
    await use.world.drainAll();
    use.world.runtime.purged.length = 0;
    const counts = await sweep(use.world.deps);
    expect(counts).toMatchObject({ expiredBatches: 0, failed: 0 });
    expect(counts.expiredKeys).toBeGreaterThan(0);
    expect(use.world.runtime.purged).toHaveLength(1);
    expect(did(await sweep(use.world.deps))).toEqual({});
    use.world.wait(2 * 24 * HOUR);
    expect((await sweep(use.world.deps)).expiredBatches).toBeGreaterThan(0);
    const left = await inventory(use.world.clients);
    expect(left.filter((name) => name.includes(old.id))).toEqual([]);
    expect(left.filter((name) => name.includes(young.id)).length).toBeGreaterThan(0);
    expect(left.filter((name) => name.startsWith('keys'))).toHaveLength(1);
  });

  it('the sweep keeps an old batch whose redrive has just ended, before its line shows that', async () => {
    const { world } = use;
    world.wait(-32 * 24 * HOUR);
    const batch = await world.submitWithDead('b');
    await world.reset({ chores: true });
    await redrive(world.deps, { batch, key: 'k', selection: {} });
    await world.drainUnasked(ITEMS);
    world.topic.broken = true;
    await world.drainUnasked(RESULTS);
    world.topic.broken = false;
    await world.clients.queue(RESULTS).clearMessages();
    expect(await world.batch(batch)).toMatchObject({ ...DONE, announced: false });

    expect(await sweep(world.deps)).toMatchObject({ expiredBatches: 0 });

    world.wait(3 * MINUTE);
    await sweep(world.deps);
    expect(await world.batch(batch)).toMatchObject({ ...DONE, revision: 1 });
  });

  it('payloads without a batch are deleted one day after they were written', async () => {
    const name = `${newBatchId(use.world.deps.gate.now())}/lost.ndjson.zst`;
    await use.world.clients.container('payloads').getBlockBlobClient(name).upload('x', 1);
    const { id } = await use.world.submit(itemsOf(9));
    await use.world.drainAll();
    await use.world.reset({ chores: true });
    use.world.wait(23 * HOUR);
    expect((await sweep(use.world.deps)).orphanPayloads).toBe(0);
    await use.world.reset({ chores: true });
    use.world.wait(25 * HOUR);
    expect((await sweep(use.world.deps)).orphanPayloads).toBe(1);
    const left = (await inventory(use.world.clients)).filter((entry) => entry.startsWith('payloads '));
    expect(left.map((entry) => entry.slice(9, 45))).toContain(id);
    expect(left).not.toContain(`payloads ${name}`);
  });

  it('checkpoints of abandoned intakes are deleted one day after they were written', async () => {
    const name = checkpointBlobName(newBatchId(use.world.deps.gate.now()));
    await use.world.clients.container('payloads').getBlockBlobClient(name).upload('x', 1);
    for (const [hours, dropped] of [
      [23, 0],
      [25, 1],
    ] as const) {
      await use.world.reset({ chores: true });
      use.world.wait(hours * HOUR);
      expect((await sweep(use.world.deps)).orphanPayloads).toBe(dropped);
    }
    expect(await inventory(use.world.clients)).not.toContain(`payloads ${name}`);
  });
});
