import { describe, expect, it } from 'vitest';
import { noCounts } from '../../../shared/sweep/counts.ts';
import { sweep } from '../../../shared/sweep/sweep.ts';
import { changeGate, readGate, wake } from '../../../shared/wake/gate.ts';
import { dyingAt } from './crashes.ts';
import { DONE, did, HOUR, ITEMS, MINUTE, unheard, useWorld } from './use-world.ts';
import { inventory, itemsOf } from './world.ts';

const use = useWorld();

describe('an idle sweep', () => {
  it('is one operation', async () => {
    const { value, operations } = await use.world.clients.meter.measure(() => sweep(use.world.deps));
    expect(operations).toEqual({ 'table.query': 1 });
    expect(value).toEqual(noCounts());
  });

  it('leaves a batch alone that is being worked on', async () => {
    const { id } = await use.world.submit(itemsOf(9));
    expect(did(await sweep(use.world.deps))).toEqual({});
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });
});

describe('an intake that is interrupted', () => {
  // Payload, open row, listing, acceptance, three references, wake, queued.
  it.each(Array.from({ length: 9 }, (_, n) => n + 1))('at write %i is gone on with, or leaves nothing', async (at) => {
    const before = await inventory(use.world.clients);
    await use.world.reset({ chores: at < 4 });
    await use.world.submit(itemsOf(9), { deps: dyingAt(use.world.deps, at) }).catch(() => undefined);
    use.world.topic.events.length = 0;
    use.world.wait(at < 4 ? 25 * HOUR : 3 * MINUTE);
    await sweep(use.world.deps);
    await use.world.drainAll();
    const left = (await inventory(use.world.clients)).filter((name) => !before.includes(name));
    if (at < 4) return expect(left).toEqual([]);
    const id = left.find((name) => name.startsWith('payloads '))?.slice(9, 45) ?? '';
    expect(await use.world.batch(id)).toMatchObject(DONE);
    expect(await use.world.report(id, 0)).toMatchObject({ a: { items: 3, amount: 9 } });
  });
});

describe('a lost wake', () => {
  it('is found when its message is old, counted and given', async () => {
    const id = await unheard(use.world);
    expect(did(await sweep(use.world.deps))).toEqual({});
    use.world.wait(2 * MINUTE);
    const { missedWakes } = (await readGate(use.world.clients.gates, ITEMS)).row;
    expect(did(await sweep(use.world.deps))).toEqual({ missedWakes: 1 });
    expect((await readGate(use.world.clients.gates, ITEMS)).row.missedWakes).toBe(missedWakes + 1);
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });

  it('of the results is found too', async () => {
    const id = await unheard(use.world);
    await use.world.drainUnasked(ITEMS);
    use.world.topic.events.length = 0;
    use.world.wait(2 * MINUTE);
    expect(did(await sweep(use.world.deps))).toEqual({ missedWakes: 1 });
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });

  it('is not one while the queue is parked, and is when the scheduled wake does not come', async () => {
    const id = await unheard(use.world);
    const parkedUntil = new Date(use.world.deps.gate.now() + 10 * MINUTE).toISOString();
    await changeGate(use.world.clients.gates, ITEMS, () => ({ parkedUntil }));
    use.world.wait(5 * MINUTE);
    expect(did(await sweep(use.world.deps))).toEqual({});
    use.world.wait(7 * MINUTE);
    expect(did(await sweep(use.world.deps))).toEqual({ missedWakes: 1 });
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });

  it('waits where an operator has paused the queue', async () => {
    const id = await unheard(use.world);
    await changeGate(use.world.clients.gates, ITEMS, () => ({ paused: { by: 'operator', reason: 'no', since: '' } }));
    use.world.wait(2 * MINUTE);
    expect(did(await sweep(use.world.deps))).toEqual({});
    await changeGate(use.world.clients.gates, ITEMS, () => ({ paused: undefined }));
    await sweep(use.world.deps);
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });
});

describe('a gate without its drain', () => {
  it('that was taken, and never started, is started', async () => {
    const id = await unheard(use.world);
    await wake(dyingAt({ gate: use.world.deps.gate, startNew: () => undefined }, 1).gate, ITEMS).catch(() => undefined);
    use.world.runtime.started.length = 0;
    use.world.runtime.statuses.clear();
    use.world.wait(2 * MINUTE);
    expect(did(await sweep(use.world.deps))).toEqual({ restarted: 1 });
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });

  it.each(['Failed', 'Terminated', 'Completed'])('whose drain is %s is taken over', async (status) => {
    const id = await unheard(use.world);
    await wake(use.world.deps.gate, ITEMS);
    const [drain] = use.world.runtime.started.splice(0);
    const aliveUntil = new Date(use.world.deps.gate.now() + MINUTE).toISOString();
    const gate = await changeGate(use.world.clients.gates, ITEMS, () => ({ aliveUntil }));
    use.world.runtime.statuses.set(gate?.instanceId ?? '', status);
    use.world.wait(2 * MINUTE);
    expect(did(await sweep(use.world.deps))).toEqual({ takenOver: 1 });
    expect(use.world.runtime.started[0]?.generation).toBe((drain?.generation ?? 0) + 1);
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });

  it('that says Running is trusted for ten minutes after its last heartbeat', async () => {
    const id = await unheard(use.world);
    await wake(use.world.deps.gate, ITEMS);
    use.world.runtime.started.length = 0;
    const aliveUntil = new Date(use.world.deps.gate.now() + MINUTE).toISOString();
    await changeGate(use.world.clients.gates, ITEMS, () => ({ aliveUntil }));
    use.world.wait(9 * MINUTE);
    expect(did(await sweep(use.world.deps))).toEqual({});
    use.world.wait(3 * MINUTE);
    expect(did(await sweep(use.world.deps))).toEqual({ takenOver: 1 });
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });
});

describe('orchestrations that cannot be started', () => {
  it('are done without: the sweep drains by itself, as the holder of the gate', async () => {
    const id = await unheard(use.world);
    use.world.runtime.broken = true;
    use.world.wait(2 * MINUTE);
    const counts = await sweep(use.world.deps);
    expect(counts).toMatchObject({ failed: 0 });
    expect(counts.slices).toBeGreaterThanOrEqual(2);
    const { row } = await readGate(use.world.clients.gates, ITEMS);
    expect(row).toMatchObject({ status: 'idle', instanceId: `sweep-${ITEMS}-2` });
    expect(use.world.runtime.started).toEqual([]);
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });

  it('are done without also where a wake had taken the gate before', async () => {
    const id = await unheard(use.world);
    use.world.runtime.broken = true;
    await expect(wake(use.world.deps.gate, ITEMS)).rejects.toThrow('The runtime does not answer.');
    use.world.wait(2 * MINUTE);
    expect(await sweep(use.world.deps)).toMatchObject({ failed: 0 });
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });

  it('leave a gate that is taken over when its sweep dies', async () => {
    const id = await unheard(use.world);
    use.world.runtime.broken = true;
    use.world.wait(2 * MINUTE);
    const dying = {
      ...use.world.deps,
      activities: { ...use.world.deps.activities, dequeueBatch: () => Promise.reject(new Error('dies')) },
    };
    expect(did(await sweep(dying))).toMatchObject({ missedWakes: 1, failed: 1 });
    use.world.runtime.broken = false;
    expect((await readGate(use.world.clients.gates, ITEMS)).row.status).toBe('draining');
    expect(await wake(use.world.deps.gate, ITEMS)).toBe('counted');
    expect(use.world.runtime.started).toEqual([]);
    use.world.wait(2 * MINUTE);
    expect(did(await sweep(use.world.deps))).toEqual({ takenOver: 1 });
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });
});

describe('a topic that does not answer', () => {
  it('makes the sweep wake the queues of what it repairs', async () => {
    await use.world.submit(itemsOf(9), { deps: dyingAt(use.world.deps, 4) }).catch(() => undefined);
    use.world.topic.broken = true;
    use.world.wait(3 * MINUTE);
    expect(did(await sweep(use.world.deps))).toEqual({ continued: 1 });
    expect(use.world.runtime.started.map(({ queue }) => queue)).toEqual([ITEMS]);
    use.world.topic.broken = false;
    await use.world.drainAll();
  });
});
