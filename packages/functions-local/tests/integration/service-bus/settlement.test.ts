import { describe, expect, test } from 'vitest';
import { connect, createClock, receive, receiveOne, receiverOf, startBroker, topicConfig } from './helpers.ts';

describe('settling', () => {
  test('completed messages are deleted, abandoned ones are redelivered with their changed properties', async () => {
    const bus = await startBroker({ config: topicConfig({ all: {} }) });
    const client = connect(bus.connectionString);
    const receiver = receiverOf(client, 'all');
    await client.createSender('events').sendMessages([
      { body: 'done', applicationProperties: { kept: 1 } },
      { body: 'again', applicationProperties: { kept: 1, changed: 'before' } },
    ]);

    const [done, again] = await receive(receiver, 2);
    if (!done || !again) throw new Error('expected two messages');
    // One after the other, because the client's rhea merges neighbouring settlements of one tick with the first one's
    // outcome.
    await receiver.completeMessage(done);
    await receiver.abandonMessage(again, { changed: 'after', added: 2, text: 'new' });

    const message = await receiveOne(receiver);
    expect(message).toMatchObject({ body: 'again', deliveryCount: 1 });
    expect(message.applicationProperties).toEqual({ kept: 1, changed: 'after', added: 2, text: 'new' });
  });

  test('a dead-lettered message is in the dead-letter queue with reason and description', async () => {
    const bus = await startBroker({ config: topicConfig({ all: {} }) });
    const client = connect(bus.connectionString);
    const receiver = receiverOf(client, 'all');
    await client.createSender('events').sendMessages({ body: 'bad' });

    const reason = { deadLetterReason: 'Broken', deadLetterErrorDescription: 'cannot be read', extra: 'x' };
    await receiver.deadLetterMessage(await receiveOne(receiver), reason);

    expect(bus.counts()['events/Subscriptions/all']).toEqual({ active: 0, scheduled: 0, deadLetter: 1 });
    const dead = receiverOf(client, 'all', { subQueueType: 'deadLetter' });
    const message = await receiveOne(dead);
    expect(message).toMatchObject({
      body: 'bad',
      deadLetterReason: 'Broken',
      deadLetterErrorDescription: 'cannot be read',
      applicationProperties: { extra: 'x' },
    });
    await dead.completeMessage(message);
    expect(bus.counts()['events/Subscriptions/all']).toEqual({ active: 0, scheduled: 0, deadLetter: 0 });
  });

  test('a dead-lettered message cannot be dead-lettered again', async () => {
    const bus = await startBroker({ config: topicConfig({ all: {} }) });
    const client = connect(bus.connectionString);
    const receiver = receiverOf(client, 'all');
    await client.createSender('events').sendMessages({ body: 'bad' });
    await receiver.deadLetterMessage(await receiveOne(receiver));

    const dead = receiverOf(client, 'all', { subQueueType: 'deadLetter' });
    await expect(dead.deadLetterMessage(await receiveOne(dead))).rejects.toThrow(
      /Dead-lettering from a dead-letter queue is not supported/,
    );
  });

  test('a message is dead-lettered after MaxDeliveryCount failed deliveries', async () => {
    const bus = await startBroker({ config: topicConfig({ all: { MaxDeliveryCount: 2 } }) });
    const client = connect(bus.connectionString);
    const receiver = receiverOf(client, 'all');
    await client.createSender('events').sendMessages({ body: 'poison' });

    await receiver.abandonMessage(await receiveOne(receiver));
    await receiver.abandonMessage(await receiveOne(receiver));

    const dead = await receiveOne(receiverOf(client, 'all', { subQueueType: 'deadLetter' }));
    expect(dead).toMatchObject({ body: 'poison', deadLetterReason: 'MaxDeliveryCountExceeded', deliveryCount: 2 });
  });

  test('each settlement gets its own answer when one of many fails', async () => {
    const clock = createClock();
    const bus = await startBroker({ config: topicConfig({ all: { LockDuration: 'PT1M' } }), now: clock.now });
    const client = connect(bus.connectionString);
    const receiver = receiverOf(client, 'all');
    await client.createSender('events').sendMessages(['a', 'b', 'c'].map((body) => ({ body })));
    const messages = await receive(receiver, 3);
    const [first, second, third] = messages;
    if (!first || !second || !third) throw new Error('expected three messages');

    clock.advance(50_000);
    await Promise.all([receiver.renewMessageLock(first), receiver.renewMessageLock(third)]);
    clock.advance(20_000);
    const results = await Promise.allSettled(messages.map((message) => receiver.completeMessage(message)));

    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: { code: 'MessageLockLost' } });
  });

  test('a message can be settled after its receiver was closed', async () => {
    const bus = await startBroker({ config: topicConfig({ all: {} }) });
    const client = connect(bus.connectionString);
    await client.createSender('events').sendMessages([{ body: 'done' }, { body: 'dead' }]);
    const receiver = receiverOf(client, 'all');
    const [done, dead] = await receive(receiver, 2);
    if (!done || !dead) throw new Error('expected two messages');

    await receiver.close();
    const other = receiverOf(client, 'all');
    await other.completeMessage(done);
    await other.deadLetterMessage(dead, { deadLetterReason: 'late', deadLetterErrorDescription: 'closed' });

    expect(bus.counts()['events/Subscriptions/all']).toEqual({ active: 0, scheduled: 0, deadLetter: 1 });
  });

  test('deferring is refused with an error', async () => {
    const bus = await startBroker({ config: topicConfig({ all: {} }) });
    const client = connect(bus.connectionString);
    await client.createSender('events').sendMessages({ body: 'later' });
    const receiver = receiverOf(client, 'all');

    const deferred = receiver.deferMessage(await receiveOne(receiver));

    await expect(deferred).rejects.toThrow(/Deferring messages is not supported/);
  });
});
