import { describe, expect, test } from 'vitest';
import type { Fault } from '../../../src/service-bus/index.ts';
import { connect, expectBodies, receive, receiveOne, receiverOf, startBroker, topicConfig, until } from './helpers.ts';

/** Fails the first call of an operation in a phase. */
function failOnce(operation: string, phase: string): Fault & { calls: string[] } {
  const calls: string[] = [];
  let failed = false;
  const fault: Fault = (at, when) => {
    calls.push(`${when} ${at}`);
    if (at !== operation || when !== phase || failed) return;
    failed = true;
    throw new Error('injected');
  };
  return Object.assign(fault, { calls });
}

describe('a fault', () => {
  test('before a send has no effect, and the client can retry', async () => {
    const fault = failOnce('send', 'before');
    const bus = await startBroker({ config: topicConfig({ all: {} }), fault });
    const client = connect(bus.connectionString);
    const sender = client.createSender('events');

    await expect(sender.sendMessages({ body: 1 })).rejects.toMatchObject({ code: 'ServiceBusy', retryable: true });
    await sender.sendMessages({ body: 2 });

    await expectBodies(receiverOf(client, 'all'), [2]);
    expect(fault.calls).toEqual(['before send', 'before send', 'after send']);
  });

  test('after a send loses only the answer, and a client that retries sends twice', async () => {
    const bus = await startBroker({ config: topicConfig({ all: {} }), fault: failOnce('send', 'after') });
    const client = connect(bus.connectionString, { maxRetries: 1, retryDelayInMs: 10, timeoutInMs: 500 });

    await client.createSender('events').sendMessages({ body: 'twice' });

    expect(bus.counts()['events/Subscriptions/all']?.active).toBe(2);
  });

  test('before a completion fails it, and the message is redelivered after its lock expires', async () => {
    const config = topicConfig({ all: { LockDuration: 'PT0.2S' } });
    const bus = await startBroker({ config, fault: failOnce('complete', 'before') });
    const client = connect(bus.connectionString);
    const receiver = receiverOf(client, 'all');
    await client.createSender('events').sendMessages({ body: 1 });

    await expect(receiver.completeMessage(await receiveOne(receiver))).rejects.toMatchObject({ code: 'ServiceBusy' });

    await receiver.completeMessage(await receiveOne(receiver));
    expect(bus.counts()['events/Subscriptions/all']?.active).toBe(0);
  });

  test('after a completion loses the answer, and the message stays completed', async () => {
    const bus = await startBroker({ config: topicConfig({ all: {} }), fault: failOnce('complete', 'after') });
    const client = connect(bus.connectionString, { timeoutInMs: 500 });
    const receiver = receiverOf(client, 'all');
    await client.createSender('events').sendMessages({ body: 1 });

    await expect(receiver.completeMessage(await receiveOne(receiver))).rejects.toThrow();

    expect(bus.counts()['events/Subscriptions/all']?.active).toBe(0);
    await client.createSender('events').sendMessages({ body: 2 });
    expect(await receiveOne(receiver)).toMatchObject({ body: 2 });
  });

  test('is also called for schedule, cancel and receive-and-delete', async () => {
    const fault = failOnce('none', 'before');
    const bus = await startBroker({ config: topicConfig({ all: {} }), fault });
    const client = connect(bus.connectionString);
    const sender = client.createSender('events');

    const sequences = await sender.scheduleMessages({ body: 1 }, new Date(Date.now() + 60_000));
    await sender.cancelScheduledMessages(sequences);
    await sender.sendMessages({ body: 2 });
    await receiveOne(receiverOf(client, 'all', { receiveMode: 'receiveAndDelete' }));

    const operations = ['schedule', 'cancelScheduled', 'send', 'receiveAndDelete'];
    expect(fault.calls).toEqual(operations.flatMap((operation) => [`before ${operation}`, `after ${operation}`]));
  });

  test('before receive-and-delete keeps the message', async () => {
    const bus = await startBroker({ config: topicConfig({ all: {} }), fault: failOnce('receiveAndDelete', 'before') });
    const client = connect(bus.connectionString);
    await client.createSender('events').sendMessages({ body: 1 });

    const first = receiverOf(client, 'all', { receiveMode: 'receiveAndDelete' });
    await expect(first.receiveMessages(1, { maxWaitTimeInMs: 500 })).rejects.toMatchObject({ code: 'ServiceBusy' });

    const second = receiverOf(client, 'all', { receiveMode: 'receiveAndDelete' });
    expect(await receiveOne(second)).toMatchObject({ body: 1 });
  });
});

test('a subscriber reconnects after a dropped connection', async () => {
  const bus = await startBroker({ config: topicConfig({ all: {} }) });
  const client = connect(bus.connectionString);
  const sender = client.createSender('events');
  const seen: unknown[] = [];
  const processMessage = async ({ body }: { body: unknown }) => void seen.push(body);
  receiverOf(client, 'all').subscribe({ processMessage, processError: async () => {} });
  await sender.sendMessages({ body: 1 });
  await until(() => seen.length === 1);

  bus.drop();
  await connect(bus.connectionString).createSender('events').sendMessages({ body: 2 });

  await until(() => seen.includes(2));
});

test('messages in transit to a link that closes are not lost', async () => {
  const bus = await startBroker({ config: topicConfig({ all: { LockDuration: 'PT0.3S' } }) });
  const client = connect(bus.connectionString);
  await client.createSender('events').sendMessages(Array.from({ length: 50 }, (_, body) => ({ body })));
  const other = connect(bus.connectionString);

  const receiving = receiverOf(other, 'all').receiveMessages(50);
  await Promise.all([receiving.catch(() => []), other.close()]);

  const messages = await receive(receiverOf(client, 'all', { receiveMode: 'receiveAndDelete' }), 50);
  expect(new Set(messages.map(({ body }) => body)).size).toBe(50);
});
