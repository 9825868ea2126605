import { describe, expect, it } from 'vitest';
import { collectInbox } from '../../../shared/intake/inbox/inbox.ts';
import type { FinalizeDeps } from '../../../shared/results/finalize.ts';
import { sweep } from '../../../shared/sweep/sweep.ts';
import { dyingAt } from '../../helpers/crashes.ts';
import { DONE, did, HOUR, ITEMS, MINUTE, RESULTS, unheard, useWorld } from './use-world.ts';
import { inventory, itemsOf, ndjson } from './world.ts';

const use = useWorld();

describe('the end of a batch', () => {
  // Collected, then: report, finished, announcement, listing, announced, closed.
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('that is interrupted at write %i comes to pass once', async (at) => {
    const { id } = await use.world.submit(itemsOf(9));
    use.world.topic.events.length = 0;
    await use.world.drainUnasked(ITEMS);
    use.world.topic.events.length = 0;
    await use.world.collectAs(dyingAt<FinalizeDeps>(use.world.deps, at)).catch(() => undefined);
    const told = use.world.topic.events.filter(({ type }) => type === 'BatchCompleted').length;
    // Its result message is gone for good, as if it had been deleted before.
    await use.world.clients.queue(RESULTS).clearMessages();
    if (at > 1) use.world.wait(3 * MINUTE);
    else use.world.wait(2 * HOUR);
    await sweep(use.world.deps);
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
    const all =
      told + use.world.topic.events.filter(({ type, batch }) => type === 'BatchCompleted' && batch === id).length;
    expect(all).toBeGreaterThan(0);
  });
});

describe('a batch that does not move', () => {
  it('gets its references again when their queue is empty', async () => {
    const id = await unheard(use.world);
    await use.world.clients.queue(ITEMS).clearMessages();
    use.world.wait(30 * MINUTE);
    expect(did(await sweep(use.world.deps))).toEqual({});
    use.world.wait(31 * MINUTE);
    expect(await sweep(use.world.deps)).toMatchObject({ resent: 3, failed: 0 });
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });

  it('does not get them while results wait', async () => {
    const id = await unheard(use.world);
    await use.world.drainUnasked(ITEMS);
    use.world.topic.events.length = 0;
    use.world.wait(61 * MINUTE);
    expect(did(await sweep(use.world.deps))).toEqual({ missedWakes: 1 });
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject({ ...DONE, duplicatesSeen: 0 });
  });
});

describe('a file of the inbox', () => {
  it.each(Array.from({ length: 12 }, (_, n) => n + 1))('half taken at write %i is one batch in the end', async (at) => {
    const text = ndjson(itemsOf(9));
    const name = `echo/file-${at}.ndjson`;
    await use.world.clients.container('inbox').getBlockBlobClient(name).upload(text, text.length);
    const before = await inventory(use.world.clients);
    await collectInbox(dyingAt({ ...use.world.deps, settings: use.world.settings }, at)).catch(() => undefined);
    // A claim of a dead upload is waited for.
    use.world.wait(3 * MINUTE);
    await collectInbox({ ...use.world.deps, settings: use.world.settings });
    await sweep(use.world.deps);
    await use.world.drainAll();
    const added = (await inventory(use.world.clients)).filter((entry) => !before.includes(entry));
    expect(added.filter((entry) => entry.startsWith('inbox-done '))).toEqual([`inbox-done ${name}`]);
    expect(added.filter((entry) => entry.startsWith('reports '))).toHaveLength(1);
    expect(before.includes(`inbox ${name}`)).toBe(true);
    expect(await inventory(use.world.clients)).not.toContain(`inbox ${name}`);
  });
});
