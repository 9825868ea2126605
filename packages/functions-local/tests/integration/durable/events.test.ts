import * as df from 'durable-functions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gate, type Shim, startShim, waitForStatus, waitUntil } from '../../helpers/durable-shim.ts';

const gates = new Map<string, ReturnType<typeof gate>>();
const waiting = new Set<string>();

df.app.activity('wait', {
  handler: async (key: string) => {
    waiting.add(key);
    await gates.get(key)?.opened;
  },
});
df.app.orchestration('takeTwo', function* (context) {
  const first = yield context.df.waitForExternalEvent('item');
  const second = yield context.df.waitForExternalEvent('item');
  return [first, second];
});
df.app.orchestration('busyThenTakeTwo', function* (context) {
  yield context.df.callActivity('wait', context.df.getInput());
  const first = yield context.df.waitForExternalEvent('item');
  const second = yield context.df.waitForExternalEvent('item');
  return [first, second];
});
df.app.orchestration('stack', function* (context) {
  const abandoned = context.df.waitForExternalEvent('item');
  yield context.df.Task.any([abandoned, context.df.callActivity('wait', 'none')]);
  const taken = yield context.df.waitForExternalEvent('item');
  return { taken, abandoned: abandoned.isCompleted };
});
df.app.orchestration('collector', function* (context) {
  const input = context.df.getInput() as { key: string; taken: number[]; upTo: number; busy: boolean };
  if (input.busy) yield context.df.callActivity('wait', input.key);
  const value = (yield context.df.waitForExternalEvent('item')) as number;
  const taken = [...input.taken, value];
  if (taken.length === input.upTo) return taken;
  if (input.busy) yield context.df.callActivity('wait', `${input.key}-after`);
  context.df.continueAsNew({ ...input, taken, busy: false });
});
df.app.orchestration('lastActivity', function* (context) {
  yield context.df.callActivity('wait', context.df.getInput());
  return 'over';
});

let shim: Shim;
beforeAll(async () => {
  shim = await startShim();
});
afterAll(() => shim.stop());

test('events that are raised before their waits are buffered, first in first out', async () => {
  gates.set('buffer', gate());
  const id = await shim.client.startNew('busyThenTakeTwo', { input: 'buffer' });
  await shim.client.raiseEvent(id, 'item', { n: 1 });
  await shim.client.raiseEvent(id, 'item', { n: 2 });
  gates.get('buffer')?.open();
  expect((await waitForStatus(shim.client, id)).output).toEqual([{ n: 1 }, { n: 2 }]);
});

test('an event that is raised right after the start is kept', async () => {
  const id = await shim.client.startNew('takeTwo');
  await Promise.all([shim.client.raiseEvent(id, 'item', 1), shim.client.raiseEvent(id, 'item', 2)]);
  expect((await waitForStatus(shim.client, id)).output).toHaveLength(2);
});

test('waits for one name form a stack: the newest is completed first', async () => {
  const id = await shim.client.startNew('stack');
  await waitUntil(() => waiting.has('none'));
  await waitForStatus(shim.client, id, ['Running']);
  await shim.client.raiseEvent(id, 'item', 'one');
  expect((await waitForStatus(shim.client, id)).output).toEqual({ taken: 'one', abandoned: false });
});

test('wait followed directly by continueAsNew loses no event of a burst', async () => {
  const input = { key: 'burst', taken: [], upTo: 20, busy: false };
  const id = await shim.client.startNew('collector', { input });
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  for (const number of numbers) await shim.client.raiseEvent(id, 'item', number);
  expect((await waitForStatus(shim.client, id)).output).toEqual(numbers);
});

test('continueAsNew drops events that arrived before it and were not consumed', async () => {
  gates.set('lossy', gate());
  gates.set('lossy-after', gate());
  const input = { key: 'lossy', taken: [], upTo: 2, busy: true };
  const id = await shim.client.startNew('collector', { input });
  await shim.client.raiseEvent(id, 'item', 1);
  gates.get('lossy')?.open();
  await waitUntil(() => waiting.has('lossy-after'));
  await shim.client.raiseEvent(id, 'item', 2);
  // An episode of the old execution must have received the dropped event before the activity ends.
  await waitUntil(async () => (await history(id)).filter((type) => type === 'EventRaised').length === 2);
  gates.get('lossy-after')?.open();
  await waitUntil(async () => (await history(id)).filter((type) => type === 'EventRaised').length === 0);
  await shim.client.raiseEvent(id, 'item', 3);
  expect((await waitForStatus(shim.client, id)).output).toEqual([1, 3]);
});

test('an event that arrives during the last activity is accepted and lost', async () => {
  gates.set('last', gate());
  const id = await shim.client.startNew('lastActivity', { input: 'last' });
  await waitUntil(() => waiting.has('last'));
  await shim.client.raiseEvent(id, 'item', 1);
  gates.get('last')?.open();
  expect(await waitForStatus(shim.client, id)).toMatchObject({ runtimeStatus: 'Completed', output: 'over' });
});

test('an event for an unknown instance is refused, and the client ignores one for a finished instance', async () => {
  const id = await shim.client.startNew('lastActivity', { input: 'open' });
  await waitForStatus(shim.client, id);
  await expect(shim.client.raiseEvent('nobody', 'item', 1)).rejects.toThrow("No instance with ID 'nobody' found.");
  await expect(shim.client.raiseEvent(id, 'item', 1)).resolves.toBeUndefined();
});

test('an event without data is refused', async () => {
  const id = await shim.client.startNew('takeTwo');
  await expect(shim.client.raiseEvent(id, 'item', undefined)).rejects.toThrow('400');
  await shim.client.terminate(id, 'test over');
});

async function history(id: string): Promise<string[]> {
  const response = await fetch(`${shim.baseUrl}/runtime/webhooks/durabletask/instances/${id}?showHistory=true`);
  const body = (await response.json()) as { historyEvents: { EventType: string }[] };
  return body.historyEvents.map((event) => event.EventType);
}
