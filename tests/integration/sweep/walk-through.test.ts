/**
 * The walk-through of the chapter "Azure queue services": two consumers, one of which dies while it holds a message.
 * The steps have the order and the names of the chapter; each continues from the previous one.
 */
import type { DequeuedMessageItem } from '@azure/storage-queue';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outcomeBlobName } from '../../../shared/contract/names.ts';
import { createPipeline } from '../../../shared/pipeline.ts';
import { readChunkReference } from '../../helpers/data/factories.ts';
import { dyingAt } from '../../helpers/fakes/crashes.ts';
import { HOST } from '../../helpers/fakes/host-limits.ts';
import { createInlineProcessor } from '../../helpers/threads/inline-processor.ts';
import { registry } from '../in-process/echo.ts';
import { ITEMS, RESULTS } from '../in-process/use-world.ts';
import { itemsOf, startWorld, type World } from '../in-process/world.ts';

/** Visibility timeout of consumer 1: short enough for a test to wait for it. */
const TIMEOUT_SECONDS = 1;

describe('a message whose consumer dies', () => {
  let world: World;
  let batch: string;
  let first: DequeuedMessageItem;
  const depth = (): Promise<number> => world.deps.depthOf(ITEMS);
  const receive = async (count: number, visibilityTimeout: number): Promise<DequeuedMessageItem[]> => {
    const queue = world.clients.queue(ITEMS);
    return (await queue.receiveMessages({ numberOfMessages: count, visibilityTimeout })).receivedMessageItems;
  };

  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.stop());

  it('step 1: the producer adds two messages to the queue', async () => {
    batch = (await world.submit(itemsOf(6))).id;

    expect(await depth()).toBe(2);
  });

  it('step 2: consumer 1 gets message 1, which stays in the queue and is invisible', async () => {
    const received = await receive(1, TIMEOUT_SECONDS);

    expect(received.map(({ dequeueCount }) => dequeueCount)).toEqual([1]);
    first = received[0] as DequeuedMessageItem;
    expect(await depth()).toBe(2);
  });

  it('step 3: consumer 1 finishes the work, and dies before it deletes the message', async () => {
    const clients = dyingAt(world.clients, 1);
    const consumer1 = createPipeline({
      ...{ settings: world.pipeline.settings, registry, host: HOST, clients },
      processor: createInlineProcessor(registry),
    });
    const address = registry.queue(ITEMS);
    if (address)
      await consumer1
        .roundFor(address)([first])
        .catch(() => undefined);

    const { chunk } = readChunkReference(first.messageText);
    const outcome = world.clients.container('results').getBlobClient(outcomeBlobName('echo', batch, chunk));
    expect(await outcome.exists()).toBe(true);
    expect(await depth()).toBe(2);
    expect(await world.deps.depthOf(RESULTS)).toBe(0);
  });

  it('step 4: consumer 2 gets message 2, processes it and deletes it', async () => {
    expect(await world.drainOne(ITEMS, 1)).toBe(true);

    expect(await depth()).toBe(1);
  });

  it('step 5: the visibility timeout of message 1 passes, and consumer 2 gets it, with a dequeue count of 2', async () => {
    let again: DequeuedMessageItem[] = [];
    await expect
      .poll(async () => {
        again = await receive(1, 30);
        return again.map(({ messageId, dequeueCount }) => ({ messageId, dequeueCount }));
      })
      .toEqual([{ messageId: first.messageId, dequeueCount: 2 }]);
    const address = registry.queue(ITEMS);
    if (address) await world.pipeline.roundFor(address)(again);

    expect(await depth()).toBe(0);
  });

  it('step 6: the pop receipt of consumer 1 is invalid, so it can no longer delete the message', async () => {
    await expect(world.clients.queue(ITEMS).deleteMessage(first.messageId, first.popReceipt)).rejects.toMatchObject({
      statusCode: 404,
    });
  });

  it('step 7: no message is lost, and none counts twice', async () => {
    await world.drainAll();

    expect(await world.batch(batch)).toMatchObject({
      state: 'completed',
      accepted: 6,
      succeeded: 6,
      duplicatesSeen: 0,
    });
    expect(await world.report(batch, 0)).toEqual({
      a: { items: 2, amount: 3 },
      b: { items: 2, amount: 5 },
      c: { items: 2, amount: 7 },
    });
  });
});
