import { expect, it } from 'vitest';
import { removeBatch } from '../../../shared/batches/remove-batch.ts';
import { sweep } from '../../../shared/sweep/sweep.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { SILENT_LOG } from '../../helpers/fakes/silent-log.ts';
import { did, ITEMS, MINUTE, useWorld } from '../in-process/use-world.ts';
import { itemsOf } from '../in-process/world.ts';

const ROWS_PER_PIECE = 98;
const CHUNKS = 2 * ROWS_PER_PIECE + 10;
const use = useWorld();

it('an upload whose references take too long is answered, and each sweep continues where the last one ended', async () => {
  const { world } = use;
  const queue = world.clients.queue(ITEMS);
  // Each piece ends with a wake event, which takes longer than the time of a request or of a sweep.
  const deps = {
    ...world.deps,
    rowsPerPiece: ROWS_PER_PIECE,
    publish: async (...[address, event]: Parameters<typeof world.deps.publish>) => {
      await world.deps.publish(address, event);
      world.wait(5 * MINUTE);
    },
  };
  const depth = async (): Promise<number | undefined> => (await queue.getProperties()).approximateMessagesCount;

  await withLog(SILENT_LOG, async () => {
    const { id, state } = await world.submit(itemsOf(3 * CHUNKS), { deps });
    expect(state).toBe('enqueueing');
    expect(await depth()).toBe(ROWS_PER_PIECE);

    expect(did(await sweep(deps))).toMatchObject({ continued: 1 });
    expect(await world.batch(id)).toMatchObject({ state: 'enqueueing', enqueuedTo: 2 * ROWS_PER_PIECE });
    expect(await depth()).toBe(2 * ROWS_PER_PIECE);

    expect(did(await sweep(deps))).toMatchObject({ continued: 1 });
    expect((await world.batch(id)).state).toBe('queued');
    expect(await depth()).toBe(CHUNKS);

    await queue.clearMessages();
    await removeBatch(world.deps, await world.batch(id));
  });
});
