import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceBusClient } from '@azure/service-bus';
import { connectionString, EMULATOR_ACCOUNT, type Intercept, makeStorage, startStorage } from 'functions-local';
import { type ServiceBus, startServiceBus } from 'functions-local/service-bus';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTAINERS, TABLES } from '../../../shared/contract/names.ts';
import { createMeter } from '../../../shared/cost/meter.ts';
import { onEvents } from '../../../shared/events/on-events.ts';
import { wake } from '../../../shared/gate/gate.ts';
import { readSettings } from '../../../shared/settings.ts';
import { createClients } from '../../../shared/storage/clients.ts';
import { connectionsTo } from '../../helpers/fakes/connections.ts';
import { Topic } from '../in-process/stubs.ts';
import { itemsOf, World } from '../in-process/world.ts';

const TOPIC = 'sluice-events';
const QUEUE = 'echo-normal-0';
const ACCOUNTS = ['one', 'two'].map((name) => ({ name, key: EMULATOR_ACCOUNT.key }));

/** A subscription like in a deployment, but without the account in its filter: only the app ignores wakes of others. */
const subscriptionOf = (account: string) => ({
  Name: `wake-${account}`,
  Properties: {},
  Rules: [
    {
      Name: 'queue-work-detected',
      Properties: { FilterType: 'Correlation', CorrelationFilter: { Properties: { type: 'QueueWorkDetected' } } },
    },
  ],
});
const BUS = {
  UserConfig: {
    Namespaces: [
      {
        Name: 'sluice',
        Topics: [{ Name: TOPIC, Properties: {}, Subscriptions: ACCOUNTS.map(({ name }) => subscriptionOf(name)) }],
      },
    ],
  },
};

/** The topic of a broker. */
class BrokerTopic extends Topic {
  override sendMessages: Topic['sendMessages'];

  constructor(sendMessages: Topic['sendMessages']) {
    super();
    this.sendMessages = sendMessages;
  }
}

/** An app with a storage account and a subscription of its own. */
interface App {
  world: World;
  /** Receives the wakes of the subscription. */
  take: () => Promise<{ account: string }[]>;
  /** Receives and handles them like the trigger; returns the accounts that they contain. */
  listen: () => Promise<string[]>;
}

let bus: ServiceBus;
let one: App;
let two: App;
/** Storage calls per account, of all callers. */
const calls = new Map<string, number>();
const ends: (() => Promise<unknown>)[] = [];

function startApp(account: string, storage: string): App {
  const settings = readSettings(connectionsTo(storage));
  const clients = createClients(settings, createMeter());
  const client = new ServiceBusClient(bus.connectionString);
  ends.unshift(
    () => client.close(),
    () => clients.close(),
  );
  const sender = client.createSender(TOPIC);
  const receiver = client.createReceiver(TOPIC, `wake-${account}`, { receiveMode: 'receiveAndDelete' });
  const topic = new BrokerTopic((message) => sender.sendMessages(message as { body: unknown }));
  const world = new World({ clients, settings, stop: () => clients.close() }, topic);
  // The broker stores a message before its sender continues, so the count is exact.
  const waiting = (): number => bus.counts()[`${TOPIC}/Subscriptions/wake-${account}`]?.active ?? 0;
  const take = async (): Promise<{ account: string }[]> => {
    const bodies = [];
    while (waiting() > 0) bodies.push(...(await receiver.receiveMessages(waiting())).map(({ body }) => body));
    return bodies;
  };
  const { registry, gate } = world.deps;
  const listener = { registry, pool: undefined, account: () => clients.account };
  const listen = async (): Promise<string[]> => {
    const bodies = await take();
    await onEvents({ ...listener, coalesce: (_queue, run) => run() }, bodies, (queue, put) => wake(gate, queue, put));
    return bodies.map((body) => body.account);
  };
  return { world, take, listen };
}

/**
 * Lets both apps receive, and the drains of `app` run, until no more is published. Returns the accounts that `other`
 * received.
 */
async function drain(app: App, other: App): Promise<string[]> {
  const heard: string[] = [];
  for (;;) {
    heard.push(...(await other.listen()));
    const own = await app.listen();
    if ((await app.world.runDrains()) === 0 && own.length === 0) return heard;
  }
}

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-accounts-'));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  const storage = await startStorage({ folder, logFile: join(folder, 'azurite.log'), accounts: ACCOUNTS });
  ends.unshift(storage.stop);
  bus = await startServiceBus({ file: ':memory:', config: BUS });
  ends.unshift(bus.close);
  const intercept: Intercept = ({ path }, forward) => {
    const account = path.split('/')[1] ?? '';
    calls.set(account, (calls.get(account) ?? 0) + 1);
    return forward();
  };
  const front = await storage.front.addClient({ intercept });
  for (const account of ACCOUNTS)
    await makeStorage(connectionString(storage.services, account), {
      containers: Object.values(CONTAINERS),
      tables: Object.values(TABLES),
    });
  [one, two] = ACCOUNTS.map((account) => startApp(account.name, front.connectionString(account))) as [App, App];
});
afterAll(async () => {
  for (const end of ends) await end();
});

describe('two apps with a storage account each, on one topic', () => {
  it.each([
    ['one', 'two', () => [one, two] as const],
    ['two', 'one', () => [two, one] as const],
  ])(
    'a batch of account %s drains only there, and its wakes cost the app of account %s no operation',
    async (own, others, apps) => {
      const [app, other] = apps();
      // A queue of the same name there contains work whose wake was lost: any wake that the app mistakes for its own would
      // drain it.
      const { id: waiting } = await other.world.submit(itemsOf(6));
      for (const { take } of apps()) await take();
      const before = calls.get(others);
      expect(before).toBeGreaterThan(0);
      const { id } = await app.world.submit(itemsOf(9));

      const heard = await drain(app, other);

      expect(await app.world.batch(id)).toMatchObject({ state: 'completed', succeeded: 9, announced: true });
      // The wakes of its items and of its results.
      expect(heard).toEqual([own, own]);
      expect(calls.get(others)).toBe(before);
      expect(other.world.runtime.started).toEqual([]);
      expect(await other.world.batch(waiting)).toMatchObject({ state: 'queued', succeeded: 0 });
      expect(await other.world.deps.depthOf(QUEUE)).toBe(2);

      const after = calls.get(own);
      await other.world.drainUnasked(QUEUE);
      expect(await drain(other, app)).toEqual([others]);
      expect(await other.world.batch(waiting)).toMatchObject({ state: 'completed', succeeded: 6 });
      expect(calls.get(own)).toBe(after);
    },
  );

  it('each app drains its own queue if one delivery contains wakes of both for queues of the same name', async () => {
    const ids = [await one.world.submit(itemsOf(3)), await two.world.submit(itemsOf(3))].map(({ id }) => id);

    const heard = [await one.listen(), await two.listen()];

    expect(heard).toEqual([
      ['one', 'two'],
      ['one', 'two'],
    ]);
    const started = [one, two].map(({ world }) => world.runtime.started.map(({ queue }) => queue));
    expect(started).toEqual([[QUEUE], [QUEUE]]);
    await drain(one, two);
    await drain(two, one);
    await drain(one, two);
    const rows = await Promise.all([one, two].map(({ world }, index) => world.batch(ids[index] ?? '')));
    expect(rows).toMatchObject([{ state: 'completed' }, { state: 'completed' }]);
  });
});
