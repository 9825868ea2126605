import { ServiceBusClient } from '@azure/service-bus';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sluiceStack } from '../../../demo/stack.ts';
import { finished, submit } from '../../helpers/client.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';
import { ndjson, transactions } from '../../helpers/transactions.ts';

interface Topic {
  Name: string;
  Subscriptions: unknown[];
}

/** The app's entities, with two subscribers more: one by a correlation filter, one by SQL. */
function withSubscribers(): unknown {
  const config = structuredClone(sluiceStack('unused').entities) as {
    UserConfig: { Namespaces: { Topics: Topic[] }[] };
  };
  const rule = (properties: object) => [{ Name: 'only', Properties: properties }];
  config.UserConfig.Namespaces[0]?.Topics[0]?.Subscriptions.push(
    {
      Name: 'dead-letters',
      Properties: {},
      Rules: rule({ FilterType: 'Correlation', CorrelationFilter: { Properties: { type: 'ItemsDeadLettered' } } }),
    },
    {
      Name: 'ends-of-billing',
      Properties: {},
      Rules: rule({
        FilterType: 'Sql',
        SqlFilter: {
          SqlExpression: "type IN ('BatchCompleted', 'QueueEmpty') AND workload = 'billing' AND lane <> 'results'",
        },
      }),
    },
  );
  return config;
}

describe('subscribers of the topic', () => {
  let stack: TestStack;
  let bus: ServiceBusClient;
  beforeAll(async () => {
    stack = await startStack({ entities: withSubscribers(), settings: { SLUICE_INBOX_SCHEDULE: '' } });
    bus = new ServiceBusClient(stack.serviceBus);
  });
  afterAll(async () => {
    await bus?.close();
    await stack?.stop();
  });

  async function take(subscription: string, count: number): Promise<Record<string, unknown>[]> {
    const receiver = bus.createReceiver('sluice-events', subscription, { receiveMode: 'receiveAndDelete' });
    const bodies: Record<string, unknown>[] = [];
    while (bodies.length < count) {
      const messages = await receiver.receiveMessages(count - bodies.length, { maxWaitTimeInMs: 10_000 });
      if (messages.length === 0) break;
      bodies.push(...messages.map(({ body }) => body));
    }
    await receiver.close();
    return bodies;
  }

  it('each gets the events that its filter names, and no others', async () => {
    const { id } = await submit(stack, `${ndjson(transactions(3))}{"id":"bad"}\n`);
    await finished(stack, id);

    const [dead] = await take('dead-letters', 1);
    const ends = await take('ends-of-billing', 2);

    expect(dead).toMatchObject({ v: 1, type: 'ItemsDeadLettered', batch: id, details: { count: 1 } });
    expect(ends.map(({ type }) => type).sort()).toEqual(['BatchCompleted', 'QueueEmpty']);
    expect(ends.find(({ type }) => type === 'BatchCompleted')).toMatchObject({
      batch: id,
      queue: 'billing-normal-0',
      details: { state: 'completedWithDeadLetters', counts: { accepted: 4, succeeded: 3, dead: 1 } },
    });
  });

  it('events of another account, pool or queue wake nothing', async () => {
    const sender = bus.createSender('sluice-events');
    const foreign = (properties: Record<string, string>) => {
      const event = {
        type: 'QueueWorkDetected',
        account: 'devstoreaccount1',
        pool: 'default',
        queue: 'billing-normal-0',
        workload: 'billing',
        lane: 'normal',
        ...properties,
      };
      return { applicationProperties: event, body: { v: 1, ...event, at: '2026-11-01T00:00:00.000Z' } };
    };
    // The drain of the test before writes its last line after it has published QueueEmpty.
    await expect.poll(() => stack.hostLog()).toMatch(/drain-ended.*billing-normal-0/);
    const before = new Set((await stack.hostLog()).split('\n'));
    const linesSince = async () => (await stack.hostLog()).split('\n').filter((line) => !before.has(line));

    await sender.sendMessages([foreign({ account: 'another' }), foreign({ queue: 'another-queue-0' })]);
    await sender.sendMessages(foreign({ queue: 'billing-high-0' }));

    await expect
      .poll(async () => (await linesSince()).join('\n'), { timeout: 10_000 })
      .toMatch(/drain-ended.*billing-high-0/);
    expect((await linesSince()).join('\n')).not.toMatch(/billing-normal-0|another-queue/);
    await sender.close();
  });
});
