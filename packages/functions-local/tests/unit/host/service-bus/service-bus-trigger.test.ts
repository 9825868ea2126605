import { expect, test } from 'vitest';
import { readServiceBusTrigger } from '../../../../src/host/service-bus/service-bus-trigger.ts';
import { readHostConfig } from '../../../../src/host/settings/host-json.ts';

const { serviceBus: config } = readHostConfig('{"version":"2.0"}', {});
const read = (options: Record<string, unknown>) => {
  const bindings = { message: { type: 'serviceBusTrigger', direction: 'in' as const, connection: 'Bus', ...options } };
  const fn = { id: 'f', metadata: { name: 'f', bindings }, callback: () => undefined };
  return readServiceBusTrigger(fn, 'message', { env: { Bus: 'Endpoint=sb://local' }, config });
};

test('a trigger has a queue, or a topic and a subscription', () => {
  expect(read({ queueName: 'orders' }).source).toEqual({ queue: 'orders' });
  expect(read({ topicName: 'paid', subscriptionName: 'mails' }).source).toEqual({
    topic: 'paid',
    subscription: 'mails',
  });
});

test.each([{}, { queueName: '' }, { topicName: 'paid' }, { subscriptionName: 'mails' }])('%j is refused', (options) => {
  expect(() => read(options)).toThrow('serviceBusTrigger: expected queueName, or topicName and subscriptionName.');
});
