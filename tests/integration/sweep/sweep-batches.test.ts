import { describe, expect, it } from 'vitest';
import { deleteBatch } from '../../../shared/commands/delete.ts';
import { redrive } from '../../../shared/commands/redrive/redrive.ts';
import { wake } from '../../../shared/gate/gate.ts';
import { changeGate } from '../../../shared/gate/gate-store.ts';
import { scanInbox } from '../../../shared/intake/inbox/inbox.ts';
import type { FinalizeDeps } from '../../../shared/results/finalize.ts';
import { sweep } from '../../../shared/sweep/sweep.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { dyingAt } from '../../helpers/fakes/crashes.ts';
import { SILENT_LOG } from '../../helpers/fakes/silent-log.ts';
import { DONE, did, HOUR, ITEMS, MINUTE, RESULTS, unheard, useWorld } from '../in-process/use-world.ts';
import { downstream, inventory, itemsOf, ndjson, type World } from '../in-process/world.ts';

const use = useWorld();

describe('the end of a batch', () => {
  // Writes after the collection: report, finished, announcement, listing, announced, closed.
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('that is interrupted at write %i happens once', async (at) => {
    const { id } = await use.world.submit(itemsOf(9));
    use.world.topic.events.length = 0;
    await use.world.drainUnasked(ITEMS);
    use.world.topic.events.length = 0;
    await use.world.collectAs(dyingAt<FinalizeDeps>(use.world.deps, at)).catch(() => undefined);
    const published = use.world.topic.events.filter(({ type }) => type === 'BatchCompleted').length;
    // Its result message is lost, as if it had been deleted before.
    await use.world.clients.queue(RESULTS).clearMessages();
    if (at > 1) use.world.wait(3 * MINUTE);
    else use.world.wait(2 * HOUR);
    await sweep(use.world.deps);
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
    const all =
      published + use.world.topic.events.filter(({ type, batch }) => type === 'BatchCompleted' && batch === id).length;
    expect(all).toBeGreaterThan(0);
  });
});

describe('a batch without progress', () => {
  it('gets its references again if their queue is empty', async () => {
    const id = await unheard(use.world);
    await use.world.clients.queue(ITEMS).clearMessages();
    use.world.wait(30 * MINUTE);
    expect(did(await sweep(use.world.deps))).toEqual({});
    use.world.wait(31 * MINUTE);
    expect(await sweep(use.world.deps)).toMatchObject({ resent: 3, failed: 0 });
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });

  it('does not get them while their queue has messages, even invisible ones', async () => {
    const id = await unheard(use.world);
    // A worker holds one, and two are gone.
    const queue = use.world.clients.queue(ITEMS);
    const received = await queue.receiveMessages({ numberOfMessages: 3, visibilityTimeout: 600 });
    const [held, ...gone] = received.receivedMessageItems;
    for (const { messageId, popReceipt } of gone) await queue.deleteMessage(messageId, popReceipt);
    use.world.wait(61 * MINUTE);
    expect(await sweep(use.world.deps)).toMatchObject({ resent: 0, failed: 0 });

    await queue.deleteMessage(held?.messageId ?? '', held?.popReceipt ?? '');
    use.world.wait(31 * MINUTE);
    expect(await sweep(use.world.deps)).toMatchObject({ resent: 3, failed: 0 });
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });

  it('does not get them while results are waiting', async () => {
    const id = await unheard(use.world);
    await use.world.drainUnasked(ITEMS);
    use.world.topic.events.length = 0;
    use.world.wait(61 * MINUTE);
    expect(did(await sweep(use.world.deps))).toEqual({ missedWakes: 1 });
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject({ ...DONE, duplicatesSeen: 0 });
  });
});

describe('the deadline of a batch that is not running', () => {
  const risks = () =>
    use.world.topic.events.flatMap(({ type, batch, details }) =>
      type === 'DeadlineAtRisk' ? [{ batch, details }] : [],
    );

  it('is at risk if it is before the next sweep, and this is published once', async () => {
    const { world } = use;
    const id = await unheard(world);
    await changeGate(world.deps.gate.table, ITEMS, () => ({
      paused: { by: 'operator', reason: 'repairs', since: '2026-01-01T00:00:00.000Z' },
    }));
    world.wait(MINUTE / 2);
    await sweep(world.deps);
    expect(risks()).toEqual([]);

    for (const _ of [1, 2]) {
      world.wait(MINUTE);
      await sweep(world.deps);
    }

    const { deadlineAt, atRiskAt = '' } = await world.batch(id);
    expect(risks()).toEqual([
      { batch: id, details: { deadlineAt, expectedAt: null, ended: 0, items: 9, revision: 0 } },
    ]);
    expect(Date.parse(atRiskAt)).toBeLessThan(Date.parse(deadlineAt));
    await changeGate(world.deps.gate.table, ITEMS, () => ({ paused: undefined }));
    await wake(world.deps.gate, ITEMS);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ ...DONE, atRiskAt });
  });

  it('is checked again after a redrive', async () => {
    const { world } = use;
    downstream.broken.add('a');
    const id = await unheard(world);
    world.wait(2 * MINUTE);
    await sweep(world.deps);
    await world.drainAll();
    downstream.broken.clear();

    await redrive(world.deps, { batch: id, key: 'k', selection: {} });
    expect((await world.batch(id)).atRiskAt).toBeUndefined();
    world.topic.events.length = 0;
    world.wait(6 * MINUTE);
    await sweep(world.deps);

    expect(risks()).toMatchObject([{ batch: id, details: { items: 3, revision: 1 } }]);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject(DONE);
  });
});

describe('a batch whose workload is no longer deployed', () => {
  /** The dependencies of an app whose package does not contain the workload. */
  const without = (pool?: string): World['deps'] => ({
    ...use.world.deps,
    registry: createRegistry([]),
    addressOf: () => undefined,
    pool,
  });
  const completions = (id: string): number =>
    use.world.topic.events.filter(({ type, batch }) => type === 'BatchCompleted' && batch === id).length;

  it.each([undefined, 'default'])('is not changed, and its workload is logged by the sweep; pool %s', async (pool) => {
    const { world } = use;
    const id = await unheard(world);
    world.wait(2 * HOUR);
    const before = await world.batch(id);

    const warnings: unknown[] = [];
    const warn = (line: string): void => void warnings.push(JSON.parse(line));
    const counts = await withLog({ ...SILENT_LOG, warn }, () => sweep(without(pool)));

    expect(did(counts)).toEqual({});
    expect(await world.batch(id)).toEqual(before);
    expect(warnings).toEqual([{ event: 'workload-not-deployed', workload: 'echo', batches: 1 }]);
    await sweep(world.deps);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject(DONE);
  });

  it('keeps the unpublished event of its end after a crash', async () => {
    const { world } = use;
    const id = await unheard(world);
    await world.drainUnasked(ITEMS);
    world.topic.broken = true;
    await world.drainUnasked(RESULTS).catch(() => undefined);
    world.topic.broken = false;
    await world.clients.queue(RESULTS).clearMessages();
    world.topic.events.length = 0;
    expect(await world.batch(id)).toMatchObject({ state: 'completed', announced: false });
    world.wait(2 * HOUR);

    await sweep(without());

    expect((await world.batch(id)).announced).toBe(false);
    await sweep(world.deps);
    expect(await world.batch(id)).toMatchObject(DONE);
    expect(completions(id)).toBe(1);
  });

  it('is still deleted if its deletion had started', async () => {
    const { world } = use;
    const { id } = await world.submit(itemsOf(9));
    await world.drainAll();
    await deleteBatch(dyingAt(world.deps, 2), id).catch(() => undefined);

    expect(did(await sweep(without('default')))).toEqual({ deleted: 1 });

    expect((await inventory(world.clients)).filter((name) => name.includes(id))).toEqual([]);
  });
});

describe('a file of the inbox', () => {
  it.each(Array.from({ length: 12 }, (_, n) => n + 1))(
    'whose collection is interrupted at write %i becomes one batch',
    async (at) => {
      const text = ndjson(itemsOf(9));
      const name = `echo/file-${at}.ndjson`;
      await use.world.clients.container('inbox').getBlockBlobClient(name).upload(text, text.length);
      const before = await inventory(use.world.clients);
      await scanInbox(dyingAt({ ...use.world.deps, settings: use.world.settings }, at)).catch(() => undefined);
      // Waits until the claim of the dead upload has expired.
      use.world.wait(3 * MINUTE);
      await scanInbox({ ...use.world.deps, settings: use.world.settings });
      await sweep(use.world.deps);
      await use.world.drainAll();
      const added = (await inventory(use.world.clients)).filter((entry) => !before.includes(entry));
      expect(added.filter((entry) => entry.startsWith('inbox-done '))).toEqual([`inbox-done ${name}`]);
      expect(added.filter((entry) => entry.startsWith('reports '))).toHaveLength(1);
      expect(before.includes(`inbox ${name}`)).toBe(true);
      expect(await inventory(use.world.clients)).not.toContain(`inbox ${name}`);
    },
  );
});
