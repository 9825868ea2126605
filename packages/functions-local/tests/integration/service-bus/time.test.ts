import { describe, expect, test } from 'vitest';
import {
  connect,
  createClock,
  expectBodies,
  receiveOne,
  receiverOf,
  startBroker,
  topicConfig,
  until,
} from './helpers.ts';

const MINUTE_MS = 60_000;

async function start(subscription: object, topic: object = {}) {
  const clock = createClock();
  const bus = await startBroker({ config: topicConfig({ all: subscription }, topic), now: clock.now });
  const client = connect(bus.connectionString);
  return { clock, bus, client, sender: client.createSender('events'), receiver: receiverOf(client, 'all') };
}

describe('scheduled messages', () => {
  test('arrive when they are due, with each way of scheduling, and not if they were cancelled', async () => {
    const { clock, bus, sender, receiver } = await start({});
    const due = new Date(clock.now() + MINUTE_MS);

    await sender.sendMessages({ body: 'sent', scheduledEnqueueTimeUtc: due });
    const [, second] = await sender.scheduleMessages([{ body: 'scheduled' }, { body: 'cancelled' }], due);
    if (!second) throw new Error('expected two sequence numbers');
    await sender.cancelScheduledMessages(second);

    expect(bus.counts()).toMatchObject({ events: { scheduled: 2 }, 'events/Subscriptions/all': { active: 0 } });
    clock.advance(MINUTE_MS - 1);
    await expectBodies(receiver, []);
    clock.advance(1);
    const message = await receiveOne(receiver);
    expect(message.enqueuedTimeUtc?.getTime()).toBe(due.getTime());
    expect(message.body).toBe('sent');
    await expectBodies(receiver, ['scheduled']);
    await expect(sender.cancelScheduledMessages(second)).rejects.toMatchObject({ code: 'MessageNotFound' });
  });

  test("are also enqueued by the machine's clock", async () => {
    const bus = await startBroker({ config: topicConfig({ all: {} }) });
    const client = connect(bus.connectionString);

    await client.createSender('events').scheduleMessages({ body: 'soon' }, new Date(Date.now() + 100));

    expect(await receiveOne(receiverOf(client, 'all'))).toMatchObject({ body: 'soon' });
  });

  test('have a time to live that starts at their due time', async () => {
    const { clock, bus, sender } = await start({ DeadLetteringOnMessageExpiration: true });
    await sender.sendMessages({
      body: 'later',
      timeToLive: MINUTE_MS,
      scheduledEnqueueTimeUtc: new Date(clock.now() + 5 * MINUTE_MS),
    });

    clock.advance(5 * MINUTE_MS + 30_000);
    await until(() => bus.counts()['events/Subscriptions/all']?.active === 1);
    clock.advance(30_000);

    await until(() => bus.counts()['events/Subscriptions/all']?.deadLetter === 1);
  });
});

describe('time to live', () => {
  test('expired messages are deleted, or dead-lettered if that is configured', async () => {
    const clock = createClock();
    const config = topicConfig({ kept: { DeadLetteringOnMessageExpiration: true }, dropped: {} });
    const bus = await startBroker({ config, now: clock.now });
    const client = connect(bus.connectionString);
    await client.createSender('events').sendMessages([{ body: 'short', timeToLive: MINUTE_MS }, { body: 'long' }]);

    clock.advance(MINUTE_MS);

    await expectBodies(receiverOf(client, 'dropped'), ['long']);
    await expectBodies(receiverOf(client, 'kept'), ['long']);
    const dead = await receiveOne(receiverOf(client, 'kept', { subQueueType: 'deadLetter' }));
    expect(dead).toMatchObject({ body: 'short', deadLetterReason: 'TTLExpiredException' });
    expect(bus.counts()).toMatchObject({ 'events/Subscriptions/dropped': { active: 1, deadLetter: 0 } });
  });

  test.for([
    ['the topic', {}, { DefaultMessageTimeToLive: 'PT1M' }],
    ['the subscription', { DefaultMessageTimeToLive: 'PT1M' }, {}],
  ] as const)('is limited by %s', async ([, subscription, topic]) => {
    const { clock, bus, sender } = await start(subscription, topic);
    await sender.sendMessages([{ body: 'own', timeToLive: 60 * MINUTE_MS }, { body: 'none' }]);

    clock.advance(MINUTE_MS);

    await until(() => bus.counts()['events/Subscriptions/all']?.active === 0);
  });

  test('does not expire a locked message', async () => {
    const { clock, bus, sender, receiver } = await start({ LockDuration: 'PT2M' });
    await sender.sendMessages({ body: 'busy', timeToLive: MINUTE_MS });
    const message = await receiveOne(receiver);

    clock.advance(MINUTE_MS);
    await receiver.renewMessageLock(message);
    await receiver.completeMessage(message);

    expect(bus.counts()['events/Subscriptions/all']?.active).toBe(0);
  });
});

describe('duplicate detection', () => {
  const topic = { RequiresDuplicateDetection: true, DuplicateDetectionHistoryTimeWindow: 'PT10M' };

  test('drops a repeated message id inside the window and reports success, and accepts it after the window', async () => {
    const { clock, sender, receiver } = await start({}, topic);

    await sender.sendMessages([
      { body: 1, messageId: 'same' },
      { body: 2, messageId: 'same' },
      { body: 3, messageId: 'other' },
    ]);
    clock.advance(10 * MINUTE_MS - 1);
    await sender.sendMessages({ body: 4, messageId: 'same' });
    clock.advance(1);
    await sender.sendMessages({ body: 5, messageId: 'same' });

    await expectBodies(receiver, [1, 3, 5]);
  });

  test('counts scheduled messages at the time of scheduling, also cancelled ones', async () => {
    const { clock, bus, sender, receiver } = await start({}, topic);
    const message = { body: 'wake', messageId: 'wake-1' };
    const due = new Date(clock.now() + MINUTE_MS);

    const [first] = await sender.scheduleMessages(message, due);
    const [second] = await sender.scheduleMessages(message, due);
    await sender.sendMessages(message);

    expect(second?.toString()).toBe(first?.toString());
    expect(bus.counts()).toMatchObject({ events: { scheduled: 1 }, 'events/Subscriptions/all': { active: 0 } });
    if (first) await sender.cancelScheduledMessages(first);
    await sender.sendMessages(message);
    await expectBodies(receiver, []);
  });

  test('is off by default', async () => {
    const { sender, receiver } = await start({});

    await sender.sendMessages([
      { body: 1, messageId: 'same' },
      { body: 2, messageId: 'same' },
    ]);

    await expectBodies(receiver, [1, 2]);
  });
});
