import Long from 'long';
import { describe, expect, test } from 'vitest';
import { connect, createClock, receive, receiveOne, receiverOf, startBroker, topicConfig, until } from './helpers.ts';

describe('sending', () => {
  test('every subscription receives a copy of a message with all its parts', async () => {
    const bus = await startBroker({ config: topicConfig({ first: {}, second: {} }) });
    const client = connect(bus.connectionString);
    const header = { durable: false, priority: 7 };
    const sent = {
      body: { amount: 12.5, tags: ['a', 'b'] },
      messageId: 'm-1',
      correlationId: 'c-1',
      subject: 'created',
      contentType: 'application/json',
      to: 'there',
      replyTo: 'here',
      applicationProperties: { text: 'ä', count: 3, negative: -4, fraction: 0.5, flag: true },
    };

    await client.createSender('events').sendMessages(sent);
    await client.createSender('events').sendMessages({ bodyType: 'data', body: 'raw', header });

    for (const subscription of ['first', 'second']) {
      const message = await receiveOne(receiverOf(client, subscription));
      expect(message).toMatchObject({ ...sent, deliveryCount: 0, state: 'active' });
      expect(message.sequenceNumber?.toNumber()).toBe(1);
      expect((await receiveOne(receiverOf(client, subscription)))._rawAmqpMessage.header).toMatchObject(header);
    }
  });

  test('a batch arrives in order, and a message without an id gets one', async () => {
    const bus = await startBroker({ config: topicConfig({ all: {} }) });
    const client = connect(bus.connectionString);
    const bodies = Array.from({ length: 300 }, (_, index) => index);

    await client.createSender('events').sendMessages(bodies.map((body) => ({ body })));

    const messages = await receive(receiverOf(client, 'all', { receiveMode: 'receiveAndDelete' }), 300);
    expect(messages.map(({ body }) => body)).toEqual(bodies);
    expect(messages[0]?.messageId).toMatch(/^[0-9a-f]{32}$/);
    expect(bus.counts()).toMatchObject({ 'events/Subscriptions/all': { active: 0 } });
  });

  test('a message of 200 KB arrives, one above 256 KB is refused, and the sender stays usable', async () => {
    const bus = await startBroker({ config: topicConfig({ all: {} }) });
    const client = connect(bus.connectionString);
    const sender = client.createSender('events');
    const body = Buffer.alloc(200_000, 7);

    await sender.sendMessages({ body });
    await expect(sender.sendMessages({ body: Buffer.alloc(300_000) })).rejects.toMatchObject({
      code: 'MessageSizeExceeded',
    });
    await sender.sendMessages({ body: 'small' });

    const [large, small] = await receive(receiverOf(client, 'all'), 2);
    expect(Buffer.compare(large?.body, body)).toBe(0);
    expect(small?.body).toBe('small');
  });

  test('a queue works like a topic with one subscription', async () => {
    const config = { UserConfig: { Namespaces: [{ Name: 'test', Queues: [{ Name: 'jobs', Properties: {} }] }] } };
    const bus = await startBroker({ config });
    const client = connect(bus.connectionString);
    const sender = client.createSender('jobs');
    const receiver = client.createReceiver('jobs');

    await sender.sendMessages({ body: 'now' });
    await sender.scheduleMessages({ body: 'later' }, new Date(Date.now() + 60_000));

    const peeked = await receiver.peekMessages(10);
    expect(peeked.map(({ body, state }) => [body, state])).toEqual([
      ['now', 'active'],
      ['later', 'scheduled'],
    ]);
    await receiver.completeMessage(await receiveOne(receiver));
    expect(bus.counts()).toEqual({ jobs: { active: 0, scheduled: 1, deadLetter: 0 } });
  });
});

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

describe('locks', () => {
  test('a lock that expires returns the message to the queue and counts the delivery', async () => {
    const clock = createClock();
    const bus = await startBroker({ config: topicConfig({ all: { LockDuration: 'PT10S' } }), now: clock.now });
    const client = connect(bus.connectionString);
    const receiver = receiverOf(client, 'all');
    await client.createSender('events').sendMessages({ body: 'slow' });
    const first = await receiveOne(receiver);
    expect(first.lockedUntilUtc?.getTime()).toBe(clock.now() + 10_000);

    clock.advance(10_000);

    expect(await receiveOne(receiver)).toMatchObject({ body: 'slow', deliveryCount: 1 });
    await expect(receiver.completeMessage(first)).rejects.toMatchObject({ code: 'MessageLockLost' });
  });

  test('a renewed lock is valid after its first expiry', async () => {
    const clock = createClock();
    const bus = await startBroker({ config: topicConfig({ all: { LockDuration: 'PT10S' } }), now: clock.now });
    const client = connect(bus.connectionString);
    const receiver = receiverOf(client, 'all');
    await client.createSender('events').sendMessages({ body: 'slow' });
    const message = await receiveOne(receiver);

    clock.advance(9_000);
    const until = await receiver.renewMessageLock(message);
    clock.advance(9_000);

    expect(until.getTime()).toBe(clock.now() + 1_000);
    await receiver.completeMessage(message);
    expect(bus.counts()['events/Subscriptions/all']?.active).toBe(0);
  });

  test("locks also expire by the machine's clock", async () => {
    const bus = await startBroker({ config: topicConfig({ all: { LockDuration: 'PT0.1S', MaxDeliveryCount: 1 } }) });
    const client = connect(bus.connectionString);
    await client.createSender('events').sendMessages({ body: 'slow' });

    await receiveOne(receiverOf(client, 'all'));

    await until(() => bus.counts()['events/Subscriptions/all']?.deadLetter === 1);
  });
});

test('peeking returns locked and available messages from a sequence number on, without locking them', async () => {
  const bus = await startBroker({ config: topicConfig({ all: {} }) });
  const client = connect(bus.connectionString);
  const receiver = receiverOf(client, 'all');
  await client.createSender('events').sendMessages(['a', 'b', 'c'].map((body) => ({ body })));
  await receiveOne(receiver);

  const all = await receiver.peekMessages(10, { fromSequenceNumber: Long.ONE });
  const later = await receiver.peekMessages(1, { fromSequenceNumber: Long.fromNumber(2) });

  expect(all.map(({ body }) => body)).toEqual(['a', 'b', 'c']);
  expect(later.map(({ body }) => body)).toEqual(['b']);
});
