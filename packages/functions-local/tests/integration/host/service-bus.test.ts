import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServiceBusClient, type ServiceBusMessage } from '@azure/service-bus';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServiceBus, startServiceBus } from '../../../src/service-bus/index.ts';
import { type HostProcess, startHostProcess } from '../../helpers/host-process.ts';

const config = {
  UserConfig: {
    Namespaces: [
      {
        Name: 'test',
        Queues: [{ Name: 'jobs', Properties: { MaxDeliveryCount: 5 } }],
        Topics: [{ Name: 'events', Subscriptions: [{ Name: 'sub', Properties: { MaxDeliveryCount: 3 } }] }],
      },
    ],
  },
};

let folder: string;
let bus: ServiceBus;
let client: ServiceBusClient;
let host: HostProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'host-bus-'));
  bus = await startServiceBus({ config, file: join(folder, 'bus.sqlite') });
  client = new ServiceBusClient(bus.connectionString);
  host = await startHostProcess({
    appFolder: fileURLToPath(new URL('fixtures/service-bus-app', import.meta.url)),
    env: { Bus: bus.connectionString, SUBSCRIPTION: 'sub', Cloud__fullyQualifiedNamespace: 'x.servicebus.windows.net' },
  });
});
afterAll(async () => {
  await client.close();
  await host.stop();
  await bus.close();
  await rm(folder, { recursive: true });
});

async function send(entity: string, messages: ServiceBusMessage[]): Promise<void> {
  const sender = client.createSender(entity);
  await sender.sendMessages(messages);
  await sender.close();
}

/** Returns the arguments that the fixture's handler printed for the call whose output matches. */
async function waitForCall(kind: 'batch' | 'single', text: RegExp) {
  const [, json = ''] = await host.waitFor(new RegExp(`^\\[\\S+\\] ${kind} (\\{.*${text.source}.*\\})$`, 'm'));
  return JSON.parse(json);
}

async function waitForCounts(entity: string, expected: object): Promise<void> {
  await expect.poll(() => bus.counts()[entity]).toMatchObject(expected);
}

describe('a batch trigger on a subscription', () => {
  it('processes waiting messages in one call, with metadata, and completes them', async () => {
    await send('events', [
      { body: { kind: 'a' }, subject: 's1', messageId: 'm1', applicationProperties: { Lane: 'high' } },
      { body: { kind: 'b' }, messageId: 'm2', contentType: 'application/json' },
    ]);
    const { messages, metadata } = await waitForCall('batch', /"kind":"b"/);
    expect(messages).toContainEqual({ kind: 'b' });
    const index = metadata.messageIdArray.indexOf('m2');
    expect(metadata.deliveryCountArray[index]).toBe(1);
    expect(metadata.sequenceNumberArray[index]).toBeTypeOf('number');
    await host.waitFor(/Trigger Details: MessageIdArray: /);
    await waitForCounts('events/Subscriptions/sub', { active: 0, deadLetter: 0 });
  });

  it('processes a single message without a second of waiting', async () => {
    let sent = 0;
    const handedOver = async (): Promise<number> => {
      sent += 1;
      await send('events', [{ body: `lone${sent}.` }]);
      const sentAt = Date.now();
      await waitForCall('batch', new RegExp(`lone${sent}\\.`));
      return Date.now() - sentAt;
    };
    // A wait would occur every time; a busy machine is slow only occasionally.
    await expect.poll(handedOver).toBeLessThan(900);
  });

  it('abandons a failed batch until the maximum delivery count', async () => {
    await send('events', [{ body: 'poison', messageId: 'p' }]);
    await host.waitFor(/Error: poisoned batch/);
    await waitForCounts('events/Subscriptions/sub', { active: 0, deadLetter: 1 });
    const { metadata } = await waitForCall('batch', /"deliveryCountArray":\[3\]/);
    expect(metadata.messageIdArray).toEqual(['p']);
  });
});

describe('a single trigger on a queue', () => {
  it('retries a failed message and completes it after a success', async () => {
    await send('jobs', [{ body: { fail: 2, name: 'j' }, applicationProperties: { Lane: 'high' }, subject: 'job' }]);
    const { message, metadata } = await waitForCall('single', /"deliveryCount":2/);
    expect(message).toEqual({ fail: 2, name: 'j' });
    expect(metadata).toMatchObject({
      name: 'j',
      subject: 'job',
      label: 'job',
      applicationProperties: { lane: 'high' },
    });
    await waitForCounts('jobs', { active: 0, deadLetter: 0 });
  });
});

describe('triggers that are refused', () => {
  it('are reported, while the others run', () => {
    expect(host.output()).toMatch(/The 'identity' function is in error: connection 'Cloud' uses a managed identity/);
    expect(host.output()).toContain(
      "The 'sessions' function is in error: sessions (isSessionsEnabled) are not supported by functions-local;",
    );
  });
});

describe('a broker that restarts', () => {
  it('is reconnected by both kinds of trigger', async () => {
    await client.close();
    const { port } = bus;
    await bus.close();
    bus = await startServiceBus({ config, file: join(folder, 'bus.sqlite'), port });
    client = new ServiceBusClient(bus.connectionString);
    await send('events', [{ body: 'after restart' }]);
    await send('jobs', [{ body: { fail: 0, name: 'after restart' } }]);
    await waitForCall('batch', /"after restart"/);
    await waitForCall('single', /"after restart"/);
  });
});
