import Long from 'long';
import { describe, expect, test } from 'vitest';
import { connect, createClock, receiveOne, receiverOf, startBroker, topicConfig, until } from './helpers.ts';

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
