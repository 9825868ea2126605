import { expect, test } from 'vitest';
import { createMeter } from '../../../shared/cost/meter.ts';
import { limitedClient, type RuntimeClient } from '../../../shared/drain/limited-client.ts';

const LIMITS = { start: 5, status: 5, purge: 5 };
const never = (): Promise<never> => new Promise(() => undefined);
const silent: RuntimeClient = { startNew: never, getStatus: never, purgeInstanceHistoryBy: never };

test.each<[string, (client: RuntimeClient) => Promise<unknown>]>([
  ['start of drain-queue', (client) => client.startNew('drain-queue', { instanceId: 'one' })],
  ['status of one', (client) => client.getStatus('one')],
  ['purge of drains', (client) => client.purgeInstanceHistoryBy({ createdTimeFrom: new Date(0) })],
])('the %s fails if the runtime does not answer in time', async (what, call) => {
  await expect(call(limitedClient(silent, createMeter(), LIMITS))).rejects.toThrow(
    `${what}: expected a response within 5 ms, got none.`,
  );
});

test('an answer and an error are passed on', async () => {
  const client = limitedClient(
    { ...silent, startNew: async () => 'one', getStatus: () => Promise.reject(new Error('HTTP 404')) },
    createMeter(),
  );

  expect(await client.startNew('drain-queue')).toBe('one');
  await expect(client.getStatus('one')).rejects.toThrow('HTTP 404');
});

test('calls to the runtime are counted, including those that fail', async () => {
  const meter = createMeter();
  const client = limitedClient({ ...silent, startNew: () => Promise.reject(new Error('HTTP 500')) }, meter, LIMITS);

  await expect(client.startNew('drain-queue')).rejects.toThrow('HTTP 500');
  await expect(client.getStatus('one')).rejects.toThrow();
  await expect(client.purgeInstanceHistoryBy({ createdTimeFrom: new Date(0) })).rejects.toThrow();

  expect(meter.total()).toEqual({ 'durable.start': 1, 'durable.status': 1, 'durable.purge': 1 });
});
