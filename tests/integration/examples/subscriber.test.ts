/**
 * Runs the example of a subscriber on a separate broker. tests/integration/pipeline/events.test.ts runs it on the whole
 * stack.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceBusClient } from '@azure/service-bus';
import { type ServiceBus, startServiceBus } from 'functions-local/service-bus';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Subscriber, startSubscriber } from '../../helpers/subscriber.ts';

/** Without duplicate detection, so that a repeat reaches the subscriber. */
const CONFIG = {
  UserConfig: {
    Namespaces: [
      {
        Name: 'local',
        Topics: [{ Name: 'sluice-events', Subscriptions: [{ Name: 'mine' }] }],
      },
    ],
  },
};

let broker: ServiceBus;
let server: Server;
let folder: string;
let subscriber: Subscriber;
/** Responses wait until it resolves. */
let hold: Promise<void> | undefined;
/** Requested paths, and their responses. */
const asked: string[] = [];
let answers: { status: number; text: string }[] = [];

beforeAll(async () => {
  server = createServer(async ({ url = '', headers }, response) => {
    asked.push(`${headers['x-functions-key']} ${url}`);
    const { status, text } = answers.shift() ?? { status: 200, text: 'report' };
    await hold;
    response.writeHead(status).end(text);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  broker = await startServiceBus({ config: CONFIG, file: ':memory:' });
  folder = await mkdtemp(join(tmpdir(), 'sluice-subscriber-'));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  subscriber = startSubscriber('mine', folder, {
    SLUICE_EVENTS: broker.connectionString,
    SLUICE_URL: url,
    SLUICE_KEY: 'k',
  });
});
afterAll(async () => {
  await subscriber?.stop();
  await broker?.close();
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

async function publish(messageId: string, body: unknown): Promise<void> {
  const bus = new ServiceBusClient(broker.connectionString);
  await bus.createSender('sluice-events').sendMessages({ messageId, body });
  await bus.close();
}
const event = (type: string, details: object = {}) => ({
  v: 1,
  type,
  at: 'now',
  workload: 'billing',
  batch: 'b1',
  details,
});
const read = (name: string) => readFile(join(folder, name), 'utf8');

it('ignores unknown types and versions, and bodies that are not events', async () => {
  await publish('m1', event('SomethingNew'));
  await publish('m2', { ...event('BatchCompleted'), v: 2 });
  await publish('m3', 'text');
  await subscriber.until('Ignored m1', 'Ignored m2', 'Ignored m3');
  expect(asked).toEqual([]);
});

it('does not complete an event whose handler fails, and handles it when it is redelivered', async () => {
  answers = [{ status: 503, text: 'busy' }];
  await publish('m4', event('BatchCompleted', { state: 'completed', revision: 0 }));
  await subscriber.until('Failed m4', 'Handled m4');
  expect(asked.splice(0)).toEqual(Array(2).fill('k /api/batches/b1/report?revision=0'));
  expect(await read('report-b1-0.ndjson')).toBe('report');
});

it('handles a repeated event once', async () => {
  await publish('m4', event('BatchCompleted', { state: 'completed', revision: 0 }));
  await subscriber.until('Repeated m4');
  expect(asked).toEqual([]);
});

it('stores the results of ready chunks, and records what an operator must handle', async () => {
  answers = [
    { status: 200, text: 'r0' },
    { status: 200, text: 'r1' },
  ];
  await publish('m5', event('ResultsReady', { chunks: ['000000', '000001.r1'] }));
  await publish('m6', event('DeadlineAtRisk', { deadlineAt: 'soon' }));
  await subscriber.until('Handled m5', 'Handled m6');
  expect([await read('results-b1-000000.ndjson'), await read('results-b1-000001.r1.ndjson')]).toEqual(['r0', 'r1']);
  expect(asked.splice(0)).toHaveLength(2);
  expect(await read('notices.log')).toBe('now DeadlineAtRisk billing b1 {"deadlineAt":"soon"}\n');
});

it('finishes the current event at SIGTERM, and leaves the others', async () => {
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  hold = held;
  await publish('m7', event('BatchCompleted', { state: 'completed', revision: 1 }));
  await expect.poll(() => asked).toHaveLength(1);
  const ended = subscriber.stop();
  await publish('m8', event('DeadlineAtRisk'));
  await subscriber.until('Stopping');
  release();
  expect(await ended).toBe(0);
  expect(subscriber.output()).toMatch(/Handled m7[\s\S]*Stopped\n$/);
  expect(await readdir(join(folder, 'done'))).not.toContain('m8');
  const bus = new ServiceBusClient(broker.connectionString);
  const left = await bus.createReceiver('sluice-events', 'mine').peekMessages(2);
  expect(left.map(({ messageId }) => messageId)).toEqual(['m8']);
  await bus.close();
});
