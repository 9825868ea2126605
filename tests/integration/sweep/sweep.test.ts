import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newBatchId } from '../../../shared/contract/names.ts';
import { collectInbox } from '../../../shared/intake/inbox.ts';
import { readSettings } from '../../../shared/settings.ts';
import { noCounts, type SweepCounts } from '../../../shared/sweep/counts.ts';
import { sweep } from '../../../shared/sweep/sweep.ts';
import { changeGate, readGate, wake } from '../../../shared/wake/gate.ts';
import { dyingAt } from './crashes.ts';
import { downstream, inventory, itemsOf, startWorld, type World } from './world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ITEMS = 'echo-normal-0';
const RESULTS = 'echo-results';
const DONE = { state: 'completed', succeeded: 9, announced: true };
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => world.reset());
afterAll(() => world.stop());
afterEach(async () => {
  downstream.broken.clear();
  world.client.broken = false;
  world.topic.broken = false;
  await expectNothingOpen();
});

async function expectNothingOpen(): Promise<void> {
  expect((await inventory(world.clients)).filter((name) => name.startsWith('batches open'))).toEqual([]);
}

/** Accepted and enqueued, and the wake lost. */
async function unheard(): Promise<string> {
  const { id } = await world.submit(itemsOf(9));
  world.events.length = 0;
  return id;
}

const did = (counts: SweepCounts): Partial<SweepCounts> =>
  Object.fromEntries(Object.entries(counts).filter(([name, n]) => n !== 0 && name !== 'open'));

describe('an idle sweep', () => {
  it('is one operation', async () => {
    const { value, operations } = await world.clients.meter.measure(() => sweep(world.deps));
    expect(operations).toEqual({ 'table.query': 1 });
    expect(value).toEqual(noCounts());
  });

  it('leaves a batch alone that is being worked on', async () => {
    const { id } = await world.submit(itemsOf(9));
    expect(did(await sweep(world.deps))).toEqual({});
    await world.settle();
    expect(await world.batch(id)).toMatchObject(DONE);
  });
});

describe('an intake that is interrupted', () => {
  // Payload, open row, listing, acceptance, three references, wake, queued.
  it.each(Array.from({ length: 9 }, (_, n) => n + 1))('at write %i is gone on with, or leaves nothing', async (at) => {
    const before = await inventory(world.clients);
    await world.reset({ chores: at < 4 });
    await world.submit(itemsOf(9), { deps: dyingAt(world.deps, at) }).catch(() => undefined);
    world.events.length = 0;
    world.wait(at < 4 ? 25 * HOUR : 3 * MINUTE);
    await sweep(world.deps);
    await world.settle();
    const left = (await inventory(world.clients)).filter((name) => !before.includes(name));
    if (at < 4) return expect(left).toEqual([]);
    const id = left.find((name) => name.startsWith('payloads '))?.slice(9, 45) ?? '';
    expect(await world.batch(id)).toMatchObject(DONE);
    expect(await world.report(id, 0)).toMatchObject({ a: { items: 3, amount: 9 } });
  });
});

describe('a lost wake', () => {
  it('is found when its message is old, counted and given', async () => {
    const id = await unheard();
    expect(did(await sweep(world.deps))).toEqual({});
    world.wait(2 * MINUTE);
    const { missedWakes } = (await readGate(world.clients.gates, ITEMS)).row;
    expect(did(await sweep(world.deps))).toEqual({ missedWakes: 1 });
    expect((await readGate(world.clients.gates, ITEMS)).row.missedWakes).toBe(missedWakes + 1);
    await world.settle();
    expect(await world.batch(id)).toMatchObject(DONE);
  });

  it('of the results is found too', async () => {
    const id = await unheard();
    await world.drainUnasked(ITEMS);
    world.events.length = 0;
    world.wait(2 * MINUTE);
    expect(did(await sweep(world.deps))).toEqual({ missedWakes: 1 });
    await world.settle();
    expect(await world.batch(id)).toMatchObject(DONE);
  });

  it('is not one while the queue is parked, and is when the scheduled wake does not come', async () => {
    const id = await unheard();
    const parkedUntil = new Date(world.deps.gate.now() + 10 * MINUTE).toISOString();
    await changeGate(world.clients.gates, ITEMS, () => ({ parkedUntil }));
    world.wait(5 * MINUTE);
    expect(did(await sweep(world.deps))).toEqual({});
    world.wait(7 * MINUTE);
    expect(did(await sweep(world.deps))).toEqual({ missedWakes: 1 });
    await world.settle();
    expect(await world.batch(id)).toMatchObject(DONE);
  });

  it('waits where an operator has paused the queue', async () => {
    const id = await unheard();
    await changeGate(world.clients.gates, ITEMS, () => ({ paused: { by: 'operator', reason: 'no', since: '' } }));
    world.wait(2 * MINUTE);
    expect(did(await sweep(world.deps))).toEqual({});
    await changeGate(world.clients.gates, ITEMS, () => ({ paused: undefined }));
    await sweep(world.deps);
    await world.settle();
    expect(await world.batch(id)).toMatchObject(DONE);
  });
});

describe('a gate without its drain', () => {
  it('that was taken, and never started, is started', async () => {
    const id = await unheard();
    await wake(dyingAt({ gate: world.deps.gate, startNew: () => undefined }, 1).gate, ITEMS).catch(() => undefined);
    world.client.started.length = 0;
    world.client.statuses.clear();
    world.wait(2 * MINUTE);
    expect(did(await sweep(world.deps))).toEqual({ restarted: 1 });
    await world.settle();
    expect(await world.batch(id)).toMatchObject(DONE);
  });

  it.each(['Failed', 'Terminated', 'Completed'])('whose drain is %s is taken over', async (status) => {
    const id = await unheard();
    await wake(world.deps.gate, ITEMS);
    const [drain] = world.client.started.splice(0);
    const beatUntil = new Date(world.deps.gate.now() + MINUTE).toISOString();
    const gate = await changeGate(world.clients.gates, ITEMS, () => ({ beatUntil }));
    world.client.statuses.set(gate?.instanceId ?? '', status);
    world.wait(2 * MINUTE);
    expect(did(await sweep(world.deps))).toEqual({ takenOver: 1 });
    expect(world.client.started[0]?.generation).toBe((drain?.generation ?? 0) + 1);
    await world.settle();
    expect(await world.batch(id)).toMatchObject(DONE);
  });

  it('that says Running is trusted for ten minutes after its last beat', async () => {
    const id = await unheard();
    await wake(world.deps.gate, ITEMS);
    world.client.started.length = 0;
    const beatUntil = new Date(world.deps.gate.now() + MINUTE).toISOString();
    await changeGate(world.clients.gates, ITEMS, () => ({ beatUntil }));
    world.wait(9 * MINUTE);
    expect(did(await sweep(world.deps))).toEqual({});
    world.wait(3 * MINUTE);
    expect(did(await sweep(world.deps))).toEqual({ takenOver: 1 });
    await world.settle();
    expect(await world.batch(id)).toMatchObject(DONE);
  });
});

describe('orchestrations that cannot be started', () => {
  it('are done without: the sweep drains by itself, as the holder of the gate', async () => {
    const id = await unheard();
    world.client.broken = true;
    world.wait(2 * MINUTE);
    const counts = await sweep(world.deps);
    expect(counts).toMatchObject({ failed: 0 });
    expect(counts.slices).toBeGreaterThanOrEqual(2);
    const { row } = await readGate(world.clients.gates, ITEMS);
    expect(row).toMatchObject({ status: 'idle', instanceId: `sweep-${ITEMS}-2` });
    expect(world.client.started).toEqual([]);
    expect(await world.batch(id)).toMatchObject(DONE);
  });

  it('leave a gate that is taken over when its sweep dies', async () => {
    const id = await unheard();
    world.client.broken = true;
    world.wait(2 * MINUTE);
    const dying = {
      ...world.deps,
      activities: { ...world.deps.activities, dequeueBatch: () => Promise.reject(new Error('dies')) },
    };
    expect(did(await sweep(dying))).toMatchObject({ missedWakes: 1, failed: 1 });
    world.client.broken = false;
    expect((await readGate(world.clients.gates, ITEMS)).row.status).toBe('draining');
    expect(await wake(world.deps.gate, ITEMS)).toBe('counted');
    expect(world.client.started).toEqual([]);
    world.wait(2 * MINUTE);
    expect(did(await sweep(world.deps))).toEqual({ takenOver: 1 });
    await world.settle();
    expect(await world.batch(id)).toMatchObject(DONE);
  });
});

describe('a topic that does not answer', () => {
  it('makes the sweep wake the queues of what it repairs', async () => {
    await world.submit(itemsOf(9), { deps: dyingAt(world.deps, 4) }).catch(() => undefined);
    world.topic.broken = true;
    world.wait(3 * MINUTE);
    expect(did(await sweep(world.deps))).toEqual({ continued: 1 });
    expect(world.client.started.map(({ queue }) => queue)).toEqual([ITEMS]);
    world.topic.broken = false;
    await world.settle();
  });
});

describe('the end of a batch', () => {
  // Collected, then: report, settled, announcement, listing, announced, closed.
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('that is interrupted at write %i comes to pass once', async (at) => {
    const { id } = await world.submit(itemsOf(9));
    world.events.length = 0;
    await world.drainUnasked(ITEMS);
    world.events.length = 0;
    await world.collectAs((deps) => dyingAt(deps, at)).catch(() => undefined);
    const told = world.events.filter(({ type }) => type === 'BatchCompleted').length;
    // Its result message is gone for good, as if it had been deleted before.
    await world.clients.queue(RESULTS).clearMessages();
    if (at > 1) world.wait(3 * MINUTE);
    else world.wait(2 * HOUR);
    await sweep(world.deps);
    await world.settle();
    expect(await world.batch(id)).toMatchObject(DONE);
    const all = told + world.events.filter(({ type, batch }) => type === 'BatchCompleted' && batch === id).length;
    expect(all).toBeGreaterThan(0);
  });
});

describe('a batch that does not move', () => {
  it('gets its references again when their queue is empty', async () => {
    const id = await unheard();
    await world.clients.queue(ITEMS).clearMessages();
    world.wait(30 * MINUTE);
    expect(did(await sweep(world.deps))).toEqual({});
    world.wait(31 * MINUTE);
    expect(await sweep(world.deps)).toMatchObject({ resent: 3, failed: 0 });
    await world.settle();
    expect(await world.batch(id)).toMatchObject(DONE);
  });

  it('does not get them while results wait', async () => {
    const id = await unheard();
    await world.drainUnasked(ITEMS);
    world.events.length = 0;
    world.wait(61 * MINUTE);
    expect(did(await sweep(world.deps))).toEqual({ missedWakes: 1 });
    await world.settle();
    expect(await world.batch(id)).toMatchObject({ ...DONE, duplicatesSeen: 0 });
  });
});

describe('a file of the inbox', () => {
  const settings = readSettings({ SluiceStorage: 'a', SluiceServiceBus: 'b' });
  it.each(Array.from({ length: 12 }, (_, n) => n + 1))('half taken at write %i is one batch in the end', async (at) => {
    const text = itemsOf(9)
      .map((item) => `${JSON.stringify(item)}\n`)
      .join('');
    const name = `echo/file-${at}.ndjson`;
    await world.clients.container('inbox').getBlockBlobClient(name).upload(text, text.length);
    const before = await inventory(world.clients);
    await collectInbox(dyingAt({ ...world.deps, settings }, at)).catch(() => undefined);
    // A claim of a dead upload is waited for.
    world.wait(3 * MINUTE);
    await collectInbox({ ...world.deps, settings });
    await sweep(world.deps);
    await world.settle();
    const added = (await inventory(world.clients)).filter((entry) => !before.includes(entry));
    expect(added.filter((entry) => entry.startsWith('inbox-done '))).toEqual([`inbox-done ${name}`]);
    expect(added.filter((entry) => entry.startsWith('reports '))).toHaveLength(1);
    expect(before.includes(`inbox ${name}`)).toBe(true);
    expect(await inventory(world.clients)).not.toContain(`inbox ${name}`);
  });
});

describe('once a day', () => {
  it('the sweep removes what has expired, and only that', async () => {
    const old = await world.submit(itemsOf(9), { key: 'old' });
    await world.settle();
    world.wait(29 * 24 * HOUR);
    const young = await world.submit(itemsOf(9), { key: 'young' });
    await world.settle();
    world.client.purged.length = 0;
    const counts = await sweep(world.deps);
    expect(counts).toMatchObject({ expiredBatches: 0, failed: 0 });
    expect(counts.expiredKeys).toBeGreaterThan(0);
    expect(world.client.purged).toHaveLength(1);
    expect(did(await sweep(world.deps))).toEqual({});
    world.wait(2 * 24 * HOUR);
    expect((await sweep(world.deps)).expiredBatches).toBeGreaterThan(0);
    const left = await inventory(world.clients);
    expect(left.filter((name) => name.includes(old.id))).toEqual([]);
    expect(left.filter((name) => name.includes(young.id)).length).toBeGreaterThan(0);
    expect(left.filter((name) => name.startsWith('keys'))).toHaveLength(1);
  });

  it('payloads that no batch names are dropped, a day after they were written', async () => {
    const name = `${newBatchId(world.deps.gate.now())}/lost.ndjson.zst`;
    await world.clients.container('payloads').getBlockBlobClient(name).upload('x', 1);
    const { id } = await world.submit(itemsOf(9));
    await world.settle();
    await world.reset({ chores: true });
    world.wait(23 * HOUR);
    expect((await sweep(world.deps)).orphanPayloads).toBe(0);
    await world.reset({ chores: true });
    world.wait(25 * HOUR);
    expect((await sweep(world.deps)).orphanPayloads).toBe(1);
    const left = (await inventory(world.clients)).filter((entry) => entry.startsWith('payloads '));
    expect(left.map((entry) => entry.slice(9, 45))).toContain(id);
    expect(left).not.toContain(`payloads ${name}`);
  });
});
