import { expect, test } from 'vitest';
import { connect, receive, receiverOf, startBroker, topicConfig } from './helpers.ts';

test('an empty receive lasts as long as its wait time, repeatedly on one link', async () => {
  const bus = await startBroker({ config: topicConfig({ all: {} }) });
  const client = connect(bus.connectionString);
  const receiver = receiverOf(client, 'all');
  await receiver.receiveMessages(1, { maxWaitTimeInMs: 1 });

  const waited = async (): Promise<number> => {
    const start = performance.now();
    expect(await receiver.receiveMessages(10, { maxWaitTimeInMs: 100 })).toEqual([]);
    return performance.now() - start;
  };
  await waited();

  // A drain without an answer costs at least 200 ms more every time; a busy machine does so only occasionally.
  await expect.poll(waited).toBeLessThan(250);
});

test('a drain is answered after a part of the credit was used, and the next receive gets the other messages', async () => {
  const bus = await startBroker({ config: topicConfig({ all: {} }) });
  const client = connect(bus.connectionString);
  const sender = client.createSender('events');
  const receiver = receiverOf(client, 'all', { receiveMode: 'receiveAndDelete' });

  for (let round = 0; round < 20; round++) {
    await sender.sendMessages([{ body: round }, { body: round }, { body: round }]);
    const messages = await receiver.receiveMessages(5, { maxWaitTimeInMs: 20 });
    if (messages.length < 3) messages.push(...(await receive(receiver, 3 - messages.length)));
    expect(messages.map(({ body }) => body)).toEqual([round, round, round]);
  }
  expect(bus.counts()['events/Subscriptions/all']?.active).toBe(0);
});

test('one link delivers and settles more than 2048 messages', async () => {
  const total = 5000;
  const bus = await startBroker({ config: topicConfig({ all: {} }) });
  const client = connect(bus.connectionString);
  const sender = client.createSender('events');
  const bodies = Array.from({ length: total }, (_, index) => index);
  for (let at = 0; at < total; at += 1000) {
    await sender.sendMessages(bodies.slice(at, at + 1000).map((body) => ({ body })));
  }
  const receiver = receiverOf(client, 'all');
  const seen = [];

  while (seen.length < total) {
    const messages = await receive(receiver, 250);
    await Promise.all(messages.map((message) => receiver.completeMessage(message)));
    seen.push(...messages.map(({ body }) => body));
  }

  expect(seen).toEqual(bodies);
  expect(bus.counts()['events/Subscriptions/all']).toEqual({ active: 0, scheduled: 0, deadLetter: 0 });
});

test('a sender sends more than 2048 messages one by one on one link', async () => {
  const bus = await startBroker({ config: topicConfig({ all: {} }) });
  const sender = connect(bus.connectionString).createSender('events');

  for (let round = 0; round < 30; round++) {
    await Promise.all(Array.from({ length: 100 }, (_, index) => sender.sendMessages({ body: index })));
  }

  expect(bus.counts()['events/Subscriptions/all']?.active).toBe(3000);
});

test('subscribers share the messages, and after one is closed the other receives the rest', async () => {
  const bus = await startBroker({ config: topicConfig({ all: {} }) });
  const client = connect(bus.connectionString);
  const sender = client.createSender('events');
  const begun = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const counts = [0, 0];
  const receivers = counts.map((_, index) => {
    const receiver = receiverOf(client, 'all');
    const processMessage = async () => {
      counts[index] = (counts[index] ?? 0) + 1;
      if (counts[0] && counts[1]) begun.resolve();
      if (counts.reduce((sum, count) => sum + count) === 200) done.resolve();
    };
    receiver.subscribe(
      { processMessage, processError: async ({ error }) => done.reject(error) },
      { maxConcurrentCalls: 5 },
    );
    return receiver;
  });

  await sender.sendMessages(Array.from({ length: 100 }, (_, body) => ({ body })));
  await begun.promise;
  await receivers[0]?.close();
  await sender.sendMessages(Array.from({ length: 100 }, (_, body) => ({ body })));
  await done.promise;

  expect(counts[1]).toBeGreaterThan(0);
});
