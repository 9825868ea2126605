import type { ServiceBusMessage } from '@azure/service-bus';
import { expect, test } from 'vitest';
import { readEvent } from '../../../shared/contract/events.ts';
import { Problem } from '../../../shared/errors.ts';
import { createPublishers, NOTHING_PUT, type PublisherDeps } from '../../../shared/events/publish.ts';
import { address } from '../drain/drain-fixtures.ts';

function publisher() {
  const sent: ServiceBusMessage[] = [];
  const counted: string[] = [];
  const deps: PublisherDeps = {
    account: 'acc',
    meter: { count: (name: string) => void counted.push(name), serviceNowMs: () => Date.UTC(2026, 0, 1) },
    topic: { sendMessages: async (messages) => void sent.push(messages as ServiceBusMessage) },
  };
  return { ...createPublishers(deps), sent, counted };
}

test('a wake has the properties that filters need, and expires after one hour', async () => {
  const { publish, sent, counted } = publisher();

  await publish(address, { type: 'QueueWorkDetected', batch: 'b', items: 7, payloadBytes: 900 });

  expect(sent[0]).toMatchObject({
    subject: 'QueueWorkDetected',
    timeToLive: 3_600_000,
    applicationProperties: {
      type: 'QueueWorkDetected',
      account: 'acc',
      pool: 'default',
      queue: 'billing-normal-0',
      workload: 'billing',
      lane: 'normal',
      batch: 'b',
    },
    body: { v: 1, at: '2026-01-01T00:00:00.000Z', queue: 'billing-normal-0', items: 7, payloadBytes: 900 },
  });
  expect(counted).toEqual(['servicebus.send']);
});

test('two wakes of one queue are never duplicates', async () => {
  const { publish, sent } = publisher();

  for (const _ of [1, 2]) await publish(address, { type: 'QueueWorkDetected', ...NOTHING_PUT });

  expect(new Set(sent.map(({ messageId }) => messageId)).size).toBe(2);
});

test('the end of a batch keeps the given message id, and has no time to live', async () => {
  const { publish, sent } = publisher();

  await publish(address, { type: 'BatchCompleted' }, { messageId: 'completed-b-0' });

  expect(sent[0]?.messageId).toBe('completed-b-0');
  expect(sent[0]).not.toHaveProperty('timeToLive');
});

test('a rejected file has one message id per version, and a body that matches the contract', async () => {
  const { publishRejected, sent, counted } = publisher();
  const problem = new Problem('too-large', 'x'.repeat(100_000));
  const file = { name: 'billing/a.csv', etag: '0x1', workload: address.workload, problem };

  for (const etag of ['0x1', '0x1', '0x2']) await publishRejected({ ...file, etag });

  const [first, repeat, other] = sent;
  expect(readEvent(first?.body)).toMatchObject({
    ...{ type: 'InboxRejected', workload: 'billing', pool: 'default' },
    details: { name: 'billing/a.csv', type: 'too-large', status: 413, detail: expect.stringMatching(/^x{4000}$/) },
  });
  expect(repeat?.messageId).toBe(first?.messageId);
  expect(other?.messageId).not.toBe(first?.messageId);
  expect(counted).toHaveLength(3);
});

test('a wake without the amount that was put does not compile', async () => {
  const { publish, sent } = publisher();

  // @ts-expect-error: `payloadBytes` is missing.
  await publish(address, { type: 'QueueWorkDetected', items: 1 });

  expect(sent).toHaveLength(1);
});

test('a scheduled wake contains its time', async () => {
  const { publish, sent } = publisher();
  const at = new Date('2026-01-01T00:05:00.000Z');

  await publish(address, { type: 'QueueWorkDetected', ...NOTHING_PUT }, { at });

  expect(sent[0]?.scheduledEnqueueTimeUtc).toEqual(at);
});
