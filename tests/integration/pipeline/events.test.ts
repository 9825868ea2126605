import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceBusClient, type ServiceBusReceivedMessage } from '@azure/service-bus';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sluiceStack } from '../../../demo/stack.ts';
import type { QueueEvent } from '../../../shared/contract/events.ts';
import { createPublishers, type EventDetails } from '../../../shared/events/publish.ts';
import type { QueueAddress } from '../../../shared/workload/registry.ts';
import { registry } from '../../../workloads/index.ts';
import { finished, send, submit } from '../../helpers/client.ts';
import { ndjson, transactions } from '../../helpers/data/transactions.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';
import { type Subscriber, startSubscriber } from '../../helpers/subscriber.ts';

/** The properties of an event that its application properties repeat. */
type Seen = Pick<QueueEvent, 'type' | 'workload' | 'lane' | 'batch' | 'labels'>;

/**
 * A subscriber: its filter in the broker, and the same condition in code. Another kind of subscriber is another row here.
 */
interface Row {
  name: string;
  filter: Record<string, string> | string;
  wants: (event: Seen) => boolean;
}
const NEEDS_A_PERSON = ['ItemsDeadLettered', 'DeadlineAtRisk', 'BatchPaused', 'InboxRejected'];
const SUBSCRIBERS: Row[] = [
  {
    name: 'persist',
    filter: { type: 'BatchCompleted', workload: 'billing' },
    wants: ({ type, workload }) => type === 'BatchCompleted' && workload === 'billing',
  },
  {
    name: 'monitor',
    filter: `type IN (${NEEDS_A_PERSON.map((type) => `'${type}'`).join(', ')})`,
    wants: ({ type }) => NEEDS_A_PERSON.includes(type),
  },
  {
    name: 'react',
    filter: { type: 'ResultsReady', 'label.team': 'sales' },
    wants: ({ type, labels }) => type === 'ResultsReady' && labels?.team === 'sales',
  },
  {
    name: 'ends-of-billing',
    filter: "type IN ('BatchCompleted', 'QueueEmpty') AND workload = 'billing' AND lane <> 'results'",
    wants: ({ type, workload, lane }) =>
      ['BatchCompleted', 'QueueEmpty'].includes(type) && workload === 'billing' && lane !== 'results',
  },
  { name: 'high', filter: { lane: 'high' }, wants: ({ lane }) => lane === 'high' },
  {
    name: 'of-sales',
    filter: "[label.team] = 'sales' AND type <> 'QueueWorkDetected'",
    wants: ({ type, labels }) => labels?.team === 'sales' && type !== 'QueueWorkDetected',
  },
  {
    name: 'course',
    filter: "type LIKE 'Batch%' AND batch IS NOT NULL AND workload <> 'billing'",
    wants: ({ type, batch, workload }) => type.startsWith('Batch') && batch !== undefined && workload !== 'billing',
  },
];
/** Receives everything, so that the test knows all events. */
const ALL = 'all';

/** The app's entities, and these subscribers in addition. */
function withSubscribers(): unknown {
  const config = structuredClone(sluiceStack('unused').entities) as {
    UserConfig: { Namespaces: { Topics: { Subscriptions: unknown[] }[] }[] };
  };
  const rules = (filter: Row['filter']) => [
    {
      Name: 'only',
      Properties:
        typeof filter === 'string'
          ? { FilterType: 'Sql', SqlFilter: { SqlExpression: filter } }
          : { FilterType: 'Correlation', CorrelationFilter: { Properties: filter } },
    },
  ];
  const all = { Name: ALL, Properties: {} };
  const rows = SUBSCRIBERS.map(({ name, filter }) => ({ Name: name, Properties: {}, Rules: rules(filter) }));
  config.UserConfig.Namespaces[0]?.Topics[0]?.Subscriptions.push(all, ...rows);
  return config;
}

const PAYOUTS = [
  {
    ...{ id: 's1', work: 'w1', amount: '10.00', currency: 'EUR', royalty: '70', time: '2026-11-01T00:00:00Z' },
    authors: [{ author: 'a1', share: '100' }],
  },
];

/** Types that are not published in this file. */
const BY_HAND: [queue: string, event: EventDetails][] = [
  ['billing-normal-0', { type: 'ResultsReady', batch: 'by-hand', labels: { team: 'sales' } }],
  ['billing-normal-0', { type: 'ResultsReady', batch: 'by-hand', labels: { team: 'support' } }],
  ['payouts-high-0', { type: 'BatchPaused', batch: 'by-hand' }],
  ['payouts-high-0', { type: 'BatchResumed', batch: 'by-hand' }],
  ['payouts-bulk-0', { type: 'BatchResumed', batch: 'by-hand', labels: { team: 'sales' } }],
  ['billing-bulk-0', { type: 'DeadlineAtRisk', batch: 'by-hand' }],
];

function addressOf(queue: string): QueueAddress {
  const address = registry.queue(queue);
  if (!address) throw new Error(`No queue ${queue}`);
  return address;
}

describe('subscribers of the topic', () => {
  let stack: TestStack;
  let bus: ServiceBusClient;
  let subscriber: Subscriber;
  /** All events of the first test, by message id. */
  const all = new Map<string, QueueEvent>();
  beforeAll(async () => {
    stack = await startStack({ entities: withSubscribers(), settings: { SLUICE_INBOX_SCHEDULE: '' } });
    bus = new ServiceBusClient(stack.serviceBus);
  });
  afterAll(async () => {
    await subscriber?.stop();
    await bus?.close();
    await stack?.stop();
  });

  /** Receives messages until `isEnough` accepts them. */
  async function take(subscription: string, isEnough: (messages: ServiceBusReceivedMessage[]) => boolean) {
    const receiver = bus.createReceiver('sluice-events', subscription, { receiveMode: 'receiveAndDelete' });
    const messages: ServiceBusReceivedMessage[] = [];
    while (!isEnough(messages)) {
      const more = await receiver.receiveMessages(1, { maxWaitTimeInMs: 10_000 });
      if (more.length === 0) break;
      messages.push(...more);
    }
    await receiver.close();
    return messages;
  }

  it('publishes the events of several batches', async () => {
    const sales = { 'sluice-labels': 'team=sales' };
    const batches = [
      await submit(stack, `${ndjson(transactions(3))}{"id":"bad"}\n`, sales),
      await submit(stack, ndjson(transactions(2)), {}, '?lane=high'),
      await send(stack, 'payouts', PAYOUTS),
    ];
    await Promise.all(batches.map(({ id }) => finished(stack, id)));
    const topic = bus.createSender('sluice-events');
    const meter = { count: () => {}, serviceNowMs: () => Date.now() };
    const { publish } = createPublishers({ topic, account: 'devstoreaccount1', meter });
    for (const [queue, event] of BY_HAND) await publish(addressOf(queue), event);
    await topic.sendMessages({ messageId: 'last', body: {} });
    await topic.close();

    const isLast = ({ messageId }: ServiceBusReceivedMessage): boolean => messageId === 'last';
    const messages = await take(ALL, (taken) => taken.some(isLast));
    for (const { messageId, body } of messages.filter((each) => !isLast(each))) all.set(String(messageId), body);

    const [billing, high, payouts] = batches;
    const of = (type: string) => [...all.values()].filter((event) => event.type === type);
    expect(of('BatchCompleted').map(({ batch, labels }) => [batch, labels?.team])).toEqual(
      expect.arrayContaining([
        [billing?.id, 'sales'],
        [high?.id, undefined],
        [payouts?.id, undefined],
      ]),
    );
    expect(of('ItemsDeadLettered')).toMatchObject([{ v: 1, batch: billing?.id, details: { count: 1 } }]);
    expect(of('BatchCompleted').find(({ batch }) => batch === billing?.id)).toMatchObject({
      queue: 'billing-normal-0',
      details: { state: 'completedWithDeadLetters', counts: { accepted: 4, succeeded: 3, dead: 1 } },
    });
  });

  // Subscribers that have not received their events yet do not delay the others.
  it.each(SUBSCRIBERS.toReversed())('$name receives only the events of its filter', async ({ name, wants }) => {
    const wanted = [...all].filter(([, event]) => wants(event)).map(([id]) => id);
    expect(wanted).not.toEqual([]);

    const taken = await take(name, ({ length }) => length >= wanted.length);

    expect(taken.map(({ messageId }) => messageId).toSorted()).toEqual(wanted.toSorted());
    // Later messages were published after these.
    const receiver = bus.createReceiver('sluice-events', name);
    const more = await receiver.peekMessages(100);
    await receiver.close();
    expect(more.filter(({ messageId }) => all.has(String(messageId)))).toEqual([]);
  });

  it('the example stores the report of a batch that completes', async () => {
    const env = { SLUICE_EVENTS: stack.serviceBus, SLUICE_URL: stack.url, SLUICE_KEY: stack.keys.function };
    subscriber = startSubscriber('persist', stack.folder, env);
    const { id } = await submit(stack, ndjson(transactions(5)));
    await subscriber.until(`Handled completed-${id}-0`);
    expect(await readFile(join(stack.folder, `report-${id}-0.ndjson`), 'utf8')).toBe(
      await (await stack.api(`batches/${id}/report`)).text(),
    );
    expect(await subscriber.stop()).toBe(0);
  });

  it('events of another account, pool or queue wake nothing', async () => {
    const sender = bus.createSender('sluice-events');
    const foreign = (properties: Record<string, string>) => {
      const event = {
        type: 'QueueWorkDetected',
        account: 'devstoreaccount1',
        pool: 'default',
        queue: 'billing-bulk-0',
        workload: 'billing',
        lane: 'bulk',
        ...properties,
      };
      return { applicationProperties: event, body: { v: 1, ...event, at: '2026-11-01T00:00:00.000Z' } };
    };
    const before = new Set((await stack.hostLog()).split('\n'));
    const linesSince = async () => (await stack.hostLog()).split('\n').filter((line) => !before.has(line));

    await sender.sendMessages([foreign({ account: 'another' }), foreign({ queue: 'another-queue-0' })]);
    await sender.sendMessages(foreign({ queue: 'payouts-bulk-0', workload: 'payouts' }));

    await expect.poll(async () => (await linesSince()).join('\n')).toMatch(/drain-ended.*payouts-bulk-0/);
    expect((await linesSince()).join('\n')).not.toMatch(/billing-bulk-0|another-queue/);
    await sender.close();
  });
});
