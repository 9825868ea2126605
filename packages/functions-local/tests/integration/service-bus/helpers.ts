import {
  type RetryOptions,
  ServiceBusClient,
  type ServiceBusReceivedMessage,
  type ServiceBusReceiver,
  type ServiceBusReceiverOptions,
} from '@azure/service-bus';
import { expect, onTestFinished } from 'vitest';
import { type ServiceBus, type ServiceBusOptions, startServiceBus } from '../../../src/service-bus/index.ts';

/** Creates a configuration with one topic, `events`, from short descriptions of its subscriptions. */
export function topicConfig(subscriptions: Record<string, object>, topic: object = {}): unknown {
  const list = Object.entries(subscriptions).map(
    ([Name, { Rules, ...Properties }]: [string, { Rules?: unknown[] }]) => ({
      Name,
      Properties,
      ...(Rules ? { Rules } : {}),
    }),
  );
  const Topics = [{ Name: 'events', Properties: topic, Subscriptions: list }];
  return { UserConfig: { Namespaces: [{ Name: 'test', Topics }] } };
}

/** A rule with a SQL filter. */
export function sqlRule(name: string, expression: string): object {
  return { Name: name, Properties: { FilterType: 'Sql', SqlFilter: { SqlExpression: expression } } };
}

/** Starts a broker in memory that is closed after the test. */
export async function startBroker(options: Partial<ServiceBusOptions> & { config: unknown }): Promise<ServiceBus> {
  const bus = await startServiceBus({ file: ':memory:', ...options });
  onTestFinished(() => bus.close());
  return bus;
}

/**
 * Connects a client without retries, so that errors are visible immediately, and closes it after the test. If the connection
 * is cut during a send, the send waits for the whole `timeoutInMs`.
 */
export function connect(connectionString: string, retry: RetryOptions = {}): ServiceBusClient {
  const client = new ServiceBusClient(connectionString, {
    retryOptions: { maxRetries: 0, timeoutInMs: 10_000, ...retry },
  });
  onTestFinished(() => client.close());
  return client;
}

/** Creates a receiver of a subscription of `events` that does not renew locks automatically. */
export function receiverOf(client: ServiceBusClient, subscription: string, options: ServiceBusReceiverOptions = {}) {
  return client.createReceiver('events', subscription, { maxAutoLockRenewalDurationInMs: 0, ...options });
}

/** Receives until `count` messages have arrived. */
export async function receive(receiver: ServiceBusReceiver, count: number): Promise<ServiceBusReceivedMessage[]> {
  const messages: ServiceBusReceivedMessage[] = [];
  while (messages.length < count) {
    const more = await receiver.receiveMessages(count - messages.length, { maxWaitTimeInMs: 5000 });
    if (more.length === 0) throw new Error(`expected ${count} messages, got ${messages.length} within 5 s`);
    messages.push(...more);
  }
  return messages;
}

/** Receives exactly one message. */
export async function receiveOne(receiver: ServiceBusReceiver): Promise<ServiceBusReceivedMessage> {
  const [message] = await receive(receiver, 1);
  if (!message) throw new Error('expected a message');
  return message;
}

/** Receives messages with exactly these bodies, in this order, and checks for a short time that there are no more. */
export async function expectBodies(receiver: ServiceBusReceiver, bodies: readonly unknown[]): Promise<void> {
  const messages = bodies.length > 0 ? await receive(receiver, bodies.length) : [];
  messages.push(...(await receiver.receiveMessages(100, { maxWaitTimeInMs: 100 })));
  expect(messages.map(({ body }) => body)).toEqual(bodies);
}

/** A clock that only `advance` moves. It starts at the machine's time, with which clients sign their tokens. */
export function createClock(): { now: () => number; advance: (ms: number) => void } {
  let time = Date.now();
  return {
    now: () => time,
    advance: (ms) => {
      time += ms;
    },
  };
}

/** Resolves when the condition is true. Checks it every few milliseconds and fails after 5 seconds. */
export async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 1000; i++) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error('the condition did not come true within 5 s');
}
