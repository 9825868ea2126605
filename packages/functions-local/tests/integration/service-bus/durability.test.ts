import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ServiceBusClient, type ServiceBusRuleManager } from '@azure/service-bus';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { startServiceBus } from '../../../src/service-bus/index.ts';
import { connect, expectBodies, receive, receiveOne, receiverOf, sqlRule, topicConfig } from './helpers.ts';

const main = new URL('../../../src/service-bus/main.ts', import.meta.url).pathname;

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'service-bus-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
});

/** Starts the command in the test's directory. It ends at the latest with the test. */
async function startCommand(config: unknown): Promise<{ child: ChildProcess; connectionString: string }> {
  writeFileSync(join(directory, 'config.json'), JSON.stringify(config));
  const files = ['--config', join(directory, 'config.json'), '--file', join(directory, 'bus.db')];
  const child = spawn(process.execPath, [main, ...files, '--port', '0', '--key', 'secret'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  if (!child.stdout) throw new Error('expected a pipe');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, connectionString: JSON.parse(line).connectionString };
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const exit = once(child, 'exit');
  child.kill(signal);
  const [code] = (await exit) as [number | null];
  return code;
}

test('acknowledged changes survive SIGKILL: messages, counts, schedule, duplicates and dead letters', async () => {
  const config = topicConfig({ all: {} }, { RequiresDuplicateDetection: true });
  const first = await startCommand(config);
  const client = connect(first.connectionString);
  const sender = client.createSender('events');
  const receiver = receiverOf(client, 'all');
  await sender.sendMessages(['done', 'dead', 'again', 'locked', 'waiting'].map((body) => ({ body, messageId: body })));
  await receiver.completeMessage(await receiveOne(receiver));
  await receiver.deadLetterMessage(await receiveOne(receiver), {
    deadLetterReason: 'bad',
    deadLetterErrorDescription: 'x',
  });
  await receiver.abandonMessage(await receiveOne(receiver));
  await receiver.abandonMessage(await receiveOne(receiver));
  await sender.scheduleMessages({ body: 'due', messageId: 'due' }, new Date(Date.now() + 700));
  await receiveOne(receiver);

  await kill(first.child, 'SIGKILL');
  const second = await startCommand(config);

  const later = connect(second.connectionString);
  await later.createSender('events').sendMessages([
    { body: 'duplicate', messageId: 'done' },
    { body: 'duplicate', messageId: 'due' },
    { body: 'new', messageId: 'new' },
  ]);
  const survivors = receiverOf(later, 'all');
  const seen = await receive(survivors, 5);
  // The scheduled message can be due before or after the new one is sent.
  const facts = seen.map((message) => [message.body, message.deliveryCount]);
  expect(facts.slice(0, 3)).toEqual([
    ['again', 2],
    ['locked', 0],
    ['waiting', 0],
  ]);
  expect(new Map(facts.slice(3) as [string, number][])).toEqual(
    new Map([
      ['new', 0],
      ['due', 0],
    ]),
  );
  expect(seen.map(({ sequenceNumber }) => sequenceNumber?.toNumber())).toEqual([3, 4, 5, 6, 7]);
  await expectBodies(receiverOf(later, 'all', { subQueueType: 'deadLetter' }), ['dead']);
});

test('SIGKILL during sends loses no acknowledged message', async () => {
  const config = topicConfig({ all: {} });
  const { child, connectionString } = await startCommand(config);
  const sender = connect(connectionString).createSender('events');
  const acknowledged = new Set<number>();
  const enough = Promise.withResolvers<void>();
  const sends = Array.from({ length: 2000 }, async (_, body) => {
    await sender.sendMessages({ body });
    acknowledged.add(body);
    if (acknowledged.size === 500) enough.resolve();
  });
  // Sends that are running at the kill fail after their timeout, for which this test does not wait.
  void Promise.allSettled(sends);

  await enough.promise;
  await kill(child, 'SIGKILL');
  const bus = await startServiceBus({ config, file: join(directory, 'bus.db'), key: 'secret' });
  onTestFinished(() => bus.close());
  const receiver = receiverOf(connect(bus.connectionString), 'all', { receiveMode: 'receiveAndDelete' });
  const stored = new Set<unknown>();
  while (bus.counts()['events/Subscriptions/all']?.active) {
    for (const { body } of await receiver.receiveMessages(1000, { maxWaitTimeInMs: 300 })) stored.add(body);
  }
  expect([...acknowledged].filter((body) => !stored.has(body))).toEqual([]);
});

test.for(['SIGTERM', 'SIGINT'] as const)(
  'the command ends cleanly on %s while clients are connected',
  async (signal) => {
    const { child, connectionString } = await startCommand(topicConfig({ all: {} }));
    const client = connect(connectionString);
    await client.createSender('events').sendMessages({ body: 1 });

    expect(await kill(child, signal)).toBe(0);
  },
);

test('added rules are kept until the configuration contains different ones', async () => {
  const file = join(directory, 'bus.db');
  const rulesOf = async (configured: object, change: (manager: ServiceBusRuleManager) => Promise<void>) => {
    const bus = await startServiceBus({ config: topicConfig({ all: { Rules: [configured] } }), file });
    const client = new ServiceBusClient(bus.connectionString);
    const manager = client.createRuleManager('events', 'all');
    await change(manager);
    const names: string[] = [];
    for await (const { name } of manager.listRules()) names.push(name);
    await client.close();
    await bus.close();
    return names;
  };

  const addB = (manager: ServiceBusRuleManager) => manager.createRule('b', { sqlExpression: '1=1' });
  expect(await rulesOf(sqlRule('a', '1=1'), addB)).toEqual(['a', 'b']);
  expect(await rulesOf(sqlRule('a', '1=1'), async () => {})).toEqual(['a', 'b']);
  expect(await rulesOf(sqlRule('c', '1=1'), async () => {})).toEqual(['c']);
});

test('two brokers cannot use one file', async () => {
  const options = { config: topicConfig({ all: {} }), file: join(directory, 'bus.db') };
  const bus = await startServiceBus(options);
  onTestFinished(() => bus.close());

  await expect(startServiceBus(options)).rejects.toThrow(/in use by another process/);
});
