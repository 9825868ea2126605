import { describe, expect, test } from 'vitest';
import { connect, receive, receiveOne, receiverOf, startBroker, topicConfig } from './helpers.ts';

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
