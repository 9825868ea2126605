import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { changeBatch } from '../../../shared/batches/ledger.ts';
import { deleteBatch } from '../../../shared/commands/delete.ts';
import { redrive } from '../../../shared/commands/redrive/redrive.ts';
import { outcomeBlobName } from '../../../shared/contract/names.ts';
import { scanInbox } from '../../../shared/intake/inbox/inbox.ts';
import { sweep } from '../../../shared/sweep/sweep.ts';
import { dyingAt } from '../../helpers/fakes/crashes.ts';
import { downstream, inventory, itemsOf, ndjson, startWorld, type World } from '../in-process/world.ts';

const MINUTE = 60_000;
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());
afterEach(() => downstream.broken.clear());

/** A batch with every kind of data that a batch can leave: key, dead letters, a redrive and two reports. */
async function rich(key: string): Promise<string> {
  downstream.broken.add('b');
  const { id } = await world.submit(itemsOf(9), { key });
  await world.drainAll();
  downstream.broken.clear();
  await redrive(world.deps, { batch: id, key: 'k', selection: {} });
  await world.drainAll();
  expect(await world.batch(id)).toMatchObject({ state: 'completed', revision: 1 });
  return id;
}

async function nextDay(): Promise<void> {
  world.wait(25 * 60 * MINUTE);
  await sweep(world.deps);
}

describe('deleting a batch', () => {
  it('deletes all its data, and nothing of another batch', async () => {
    const other = await rich('other');
    const before = await inventory(world.clients);
    const id = await rich('mine');
    const with2 = await inventory(world.clients);
    expect(with2.length).toBe(2 * before.length);
    expect(await deleteBatch(world.deps, id)).toBe(true);
    expect(await inventory(world.clients)).toEqual(before);
    await expect(deleteBatch(world.deps, id)).rejects.toMatchObject({ type: 'not-found' });
    // Its key is free: the same upload is a new batch.
    const again = await world.submit(itemsOf(9), { key: 'mine' });
    expect(again.id).not.toBe(id);
    await world.drainAll();
    await deleteBatch(world.deps, again.id);
    await deleteBatch(world.deps, other);
    expect(await inventory(world.clients)).toEqual([]);
  });

  it('is refused until the batch is finished', async () => {
    const { id } = await world.submit(itemsOf(3));
    await expect(deleteBatch(world.deps, id)).rejects.toMatchObject({
      type: 'conflict',
      message: expect.stringMatching(/is queued/),
    });
    await world.drainAll();
    await deleteBatch(world.deps, id);
  });

  it('drops late messages, and allows no further redrive', async () => {
    const { id } = await world.submit(itemsOf(3));
    const queue = world.clients.queue('echo-normal-0');
    const [reference] = (await queue.peekMessages()).peekedMessageItems;
    downstream.broken.add('a');
    await world.drainAll();
    expect(await deleteBatch(world.deps, id, 0)).toBe(true);
    await queue.sendMessage(reference?.messageText ?? '');
    await world.drainUnasked('echo-normal-0');
    await world.drainUnasked('echo-results');
    expect(await inventory(world.clients)).toEqual([]);
    await expect(redrive(world.deps, { batch: id, key: 'k', selection: {} })).rejects.toMatchObject({
      type: 'not-found',
    });
  });

  it('is completed by the receiver of a reference whose earlier worker died after it had stored a late outcome', async () => {
    const { id } = await world.submit(itemsOf(3));
    const queue = world.clients.queue('echo-normal-0');
    const [reference] = (await queue.peekMessages()).peekedMessageItems;
    await world.drainAll();
    await deleteBatch(world.deps, id);
    await queue.sendMessage(reference?.messageText ?? '');
    await queue.receiveMessages({ visibilityTimeout: 1 });
    const late = outcomeBlobName('echo', id, '000000');
    await world.clients.container('results').getBlockBlobClient(late).upload('late', 4);

    await expect.poll(() => world.drainOne('echo-normal-0')).toBe(true);

    expect(await inventory(world.clients)).toEqual([]);
  });

  it('also deletes the file of the inbox', async () => {
    const text = ndjson(itemsOf(3));
    await world.clients.container('inbox').getBlockBlobClient('echo/one.ndjson').upload(text, text.length);
    expect(await scanInbox({ ...world.deps, settings: world.settings })).toMatchObject({ accepted: 1 });
    await world.drainAll();
    const done = await inventory(world.clients);
    expect(done).toContain('inbox-done echo/one.ndjson');
    const id = done.find((name) => name.startsWith('payloads '))?.slice(9, 45) ?? '';
    await deleteBatch(world.deps, id);
    expect(await inventory(world.clients)).toEqual([]);
  });

  it('publishes its end first, if that was missed: afterwards nobody can', async () => {
    const { id } = await world.submit(itemsOf(3));
    await world.drainAll();
    await changeBatch(world.clients.batches, id, () => ({ announced: false }));
    world.topic.events.length = 0;

    expect(await deleteBatch(world.deps, id)).toBe(true);

    expect(world.topic.events).toMatchObject([{ type: 'BatchCompleted', batch: id }]);
    expect(await inventory(world.clients)).toEqual([]);
  });

  it('leaves the file of inbox-done to the batch that has replaced it', async () => {
    const upload = async (text: string): Promise<string> => {
      await world.clients.container('inbox').getBlockBlobClient('echo/daily.ndjson').upload(text, text.length);
      await scanInbox({ ...world.deps, settings: world.settings });
      const [id = ''] = await world.openIds();
      await world.drainAll();
      return id;
    };
    const first = await upload(ndjson(itemsOf(3)));
    const second = await upload(ndjson(itemsOf(6)));

    await deleteBatch(world.deps, first);
    expect(await inventory(world.clients)).toContain('inbox-done echo/daily.ndjson');

    await deleteBatch(world.deps, second);
    expect(await inventory(world.clients)).toEqual([]);
  });

  it('deletes a file that a dead process has left in the inbox, which becomes no other batch', async () => {
    const scan = (deps = world.deps) => scanInbox({ ...deps, settings: world.settings });
    let accepted = 0;
    for (let at = 1, whole = false; !whole; at += 1) {
      const text = ndjson(itemsOf(3));
      await world.clients.container('inbox').getBlockBlobClient('echo/one.ndjson').upload(text, text.length);
      const process = { writes: 0, dead: false };
      await scan(dyingAt(world.deps, at, process));
      whole = !process.dead;
      world.wait(3 * MINUTE);
      await sweep(world.deps);
      await world.drainAll();
      const [id] = (await inventory(world.clients)).flatMap((name) => /^batches (\S+) batch$/.exec(name)?.[1] ?? []);
      if (id === undefined) {
        await world.clients.container('inbox').deleteBlob('echo/one.ndjson');
        // A payload that no batch has named is left to the chores of the next day.
        const payloads = world.clients.container('payloads');
        for await (const { name } of payloads.listBlobsFlat()) await payloads.deleteBlob(name);
      } else {
        accepted += 1;
        await deleteBatch(world.deps, id);
        const scanned = await scan();
        expect({ at, ...scanned }).toMatchObject({ at, accepted: 0 });
      }
      await nextDay();
    }
    expect(accepted).toBeGreaterThan(5);
    world.wait(8 * 24 * 60 * MINUTE);
    await nextDay();
    expect(await inventory(world.clients)).toEqual([]);
  });

  it('keeps a file out of the inbox scan that the service does not let it delete', async () => {
    const text = ndjson(itemsOf(3));
    const file = world.clients.container('inbox').getBlockBlobClient('echo/kept.ndjson');
    await file.upload(text, text.length);
    const lease = file.getBlobLeaseClient();
    await lease.acquireLease(-1);
    const scan = () => scanInbox({ ...world.deps, settings: world.settings });
    expect(await scan()).toMatchObject({ stuck: 1 });
    await world.drainAll();
    const [id = ''] = (await inventory(world.clients)).flatMap((name) => /^batches (\S+) batch$/.exec(name)?.[1] ?? []);
    expect(await deleteBatch(world.deps, id)).toBe(true);
    expect(await scan()).toMatchObject({ accepted: 0, stuck: 1 });
    await lease.releaseLease();
    await scan();
    await file.upload(text, text.length);
    await scan();
    await world.drainAll();
    for (const name of await inventory(world.clients)) {
      const again = /^batches (\S+) batch$/.exec(name)?.[1];
      if (again !== undefined) await deleteBatch(world.deps, again);
    }
    expect(await inventory(world.clients)).toEqual([]);
  });

  it('is continued by the sweep after an interruption at any write', async () => {
    let at = 1;
    for (let whole = false; !whole; at += 1) {
      const id = await rich('crash');
      const process = { writes: 0, dead: false };
      await deleteBatch(dyingAt(world.deps, at, process), id).catch(() => undefined);
      whole = !process.dead;
      world.wait(3 * MINUTE);
      await sweep(world.deps);
      // Everything except the row `open` of a batch without its own row: one day later that row is orphaned.
      if ((await inventory(world.clients)).every((name) => name.startsWith('batches open'))) await nextDay();
      const left = await inventory(world.clients);
      // Before the mark nothing has changed; the row that was opened for it is closed again.
      if (at === 1) await deleteBatch(world.deps, id);
      else expect(left).toEqual([]);
    }
    expect(at).toBeGreaterThan(8);
  });
});
