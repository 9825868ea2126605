import { get } from 'node:http';
import { ServiceBusClient } from '@azure/service-bus';
import { expect, onTestFinished, test } from 'vitest';
import { startServiceBus } from '../../../src/service-bus/index.ts';
import { connect, receiverOf, startBroker, topicConfig } from './helpers.ts';

test.for([
  ['key', { key: 'right' }, 'SharedAccessKey=right', 'SharedAccessKey=wrong'],
  ['key name', { keyName: 'right' }, 'SharedAccessKeyName=right', 'SharedAccessKeyName=wrong'],
] as const)('a wrong %s is unauthorized', async ([, options, right, wrong]) => {
  const bus = await startBroker({ config: topicConfig({ all: {} }), ...options });
  const client = connect(bus.connectionString.replace(right, wrong));

  await expect(client.createSender('events').sendMessages({ body: 1 })).rejects.toMatchObject({
    code: 'UnauthorizedAccess',
  });

  await connect(bus.connectionString).createSender('events').sendMessages({ body: 1 });
});

test('an unknown entity is not found', async () => {
  const bus = await startBroker({ config: topicConfig({ all: {} }) });
  const client = connect(bus.connectionString);
  const notFound = { code: 'MessagingEntityNotFound', retryable: false };

  await expect(client.createSender('nothing').sendMessages({ body: 1 })).rejects.toMatchObject(notFound);
  await expect(receiverOf(client, 'nothing').receiveMessages(1)).rejects.toMatchObject(notFound);
  await expect(receiverOf(client, 'nothing').peekMessages(1)).rejects.toMatchObject(notFound);
});

test('addresses are compared without case', async () => {
  const bus = await startBroker({ config: topicConfig({ all: {} }) });
  const client = connect(bus.connectionString);

  await client.createSender('EVENTS').sendMessages({ body: 1 });

  expect(await client.createReceiver('Events', 'ALL').peekMessages(1)).toHaveLength(1);
});

test('sessions are refused with an error', async () => {
  const bus = await startBroker({ config: topicConfig({ all: {} }) });
  const client = connect(bus.connectionString);

  await expect(client.acceptNextSession('events', 'all')).rejects.toThrow(/Sessions are not supported/);
});

test('receiving deferred messages is refused with an error', async () => {
  const bus = await startBroker({ config: topicConfig({ all: {} }) });
  const receiver = receiverOf(connect(bus.connectionString), 'all');
  const sender = connect(bus.connectionString).createSender('events');
  const [sequence] = await sender.scheduleMessages({ body: 1 }, new Date(Date.now() + 60_000));
  if (!sequence) throw new Error('expected a sequence number');

  const receiving = receiver.receiveDeferredMessages(sequence);

  await expect(receiving).rejects.toThrow(/receive-by-sequence-number' is not supported/);
});

test('HTTP and WebSocket requests get an answer with the reason', async () => {
  const bus = await startBroker({ config: topicConfig({ all: {} }) });

  const status = await new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port: bus.port, path: '/$Resources/topics' }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve([response.statusCode, text]));
    }).on('error', reject);
  });

  expect(status).toEqual([501, expect.stringMatching(/supports only AMQP over TCP/)]);
});

test('a client that uses TLS is refused', async () => {
  const lines: string[] = [];
  const bus = await startBroker({ config: topicConfig({ all: {} }), log: (line) => lines.push(line) });
  const secure = bus.connectionString.replace('UseDevelopmentEmulator=true;', '');
  const client = new ServiceBusClient(secure, { retryOptions: { maxRetries: 0, timeoutInMs: 2000 } });
  onTestFinished(() => client.close());

  await expect(client.createSender('events').sendMessages({ body: 1 })).rejects.toThrow();

  expect(lines.join('\n')).toMatch(/UseDevelopmentEmulator=true/);
});

test('the broker listens only on the loopback address', async () => {
  const start = startServiceBus({ config: topicConfig({}), file: ':memory:', host: '0.0.0.0' });

  await expect(start).rejects.toThrow(/host: expected one of 127\.0\.0\.1/);
});
