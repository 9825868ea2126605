import * as df from 'durable-functions';
import { afterEach, expect, test } from 'vitest';
import { createClient, type Shim, startShim, waitForStatus } from '../../helpers/durable-shim.ts';

df.app.activity('noop', { handler: (value: unknown) => value });
df.app.orchestration('quick', function* (context) {
  return yield context.df.callActivity('noop', context.df.getInput());
});
df.app.orchestration('waiter', function* (context) {
  return yield context.df.waitForExternalEvent('go');
});
df.app.orchestration('broken', function* (context) {
  yield context.df.callActivity('noop');
  throw new Error('broken');
});
df.app.orchestration('reports', function* (context) {
  context.df.setCustomStatus('x'.repeat((context.df.getInput() as { length: number }).length));
  yield context.df.callActivity('noop');
});

let shim: Shim;
afterEach(() => shim.stop());

const webhooks = '/runtime/webhooks/durabletask';

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${shim.baseUrl}${webhooks}${path}`, { headers });
  return { response, body: response.status === 401 ? undefined : await response.json() };
}

test('a status contains every field, times in whole seconds, and is 202 while the instance runs', async () => {
  shim = await startShim();
  const id = await shim.client.startNew('waiter', { input: { a: 1 } });
  await waitForStatus(shim.client, id, ['Running']);
  const { response, body } = await get(`/instances/${id}`);
  expect(response.status).toBe(202);
  expect(response.headers.get('location')).toContain(`/instances/${id}?`);
  expect(response.headers.get('retry-after')).toBe('5');
  expect(body).toMatchObject({ name: 'waiter', instanceId: id, input: { a: 1 }, customStatus: null, output: null });
  expect(body).toMatchObject({ createdTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) });
  expect((await get(`/instances/${id}?SHOWINPUT=false`)).body).toMatchObject({ input: null });
});

test('history is included on request, with names, and with results only on request', async () => {
  shim = await startShim();
  const id = await shim.client.startNew('quick', { input: 'x' });
  await waitForStatus(shim.client, id);
  const { body } = await get(`/instances/${id}?showHistory=true&showHistoryOutput=true`);
  const events = (body as { historyEvents: Record<string, unknown>[] }).historyEvents;
  expect(events.map((event) => event.EventType)).toEqual(['ExecutionStarted', 'TaskCompleted', 'ExecutionCompleted']);
  expect(events[1]).toMatchObject({ FunctionName: 'noop', Result: 'x' });
  expect(events[2]).toMatchObject({ OrchestrationStatus: 'Completed', Result: 'x' });
  const bare = await get(`/instances/${id}?showHistory=true`);
  expect((bare.body as { historyEvents: Record<string, unknown>[] }).historyEvents[1]).not.toHaveProperty('Result');
});

test('a failed instance answers 200, or 500 on request', async () => {
  shim = await startShim();
  const id = await shim.client.startNew('broken');
  await waitForStatus(shim.client, id);
  expect((await get(`/instances/${id}`)).response.status).toBe(200);
  expect((await get(`/instances/${id}?returnInternalServerErrorOnFailure=true`)).response.status).toBe(500);
});

test('lists are filtered by status, prefix and time', async () => {
  shim = await startShim();
  for (const instanceId of ['a*1', 'a*2', 'b1']) await shim.client.startNew('waiter', { instanceId });
  await shim.client.startNew('quick', { instanceId: 'done' });
  await waitForStatus(shim.client, 'done');
  const ids = async (query: string) =>
    ((await get(`/instances/?${query}`)).body as { instanceId: string }[]).map((entry) => entry.instanceId);
  expect(await ids('instanceIdPrefix=a*')).toEqual(['a*1', 'a*2']);
  expect(await ids('runtimeStatus=Completed,Failed')).toEqual(['done']);
  expect(await ids(`createdTimeFrom=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
  expect(await ids(`createdTimeTo=${new Date(Date.now() + 60_000).toISOString()}`)).toHaveLength(4);
  expect((await get('/instances/?createdTimeFrom=yesterday')).response.status).toBe(400);
  const completed = await shim.client.getStatusBy({ runtimeStatus: [df.OrchestrationRuntimeStatus.Completed] });
  expect(completed.map((status) => status.instanceId)).toEqual(['done']);
});

test('a list is returned in pages with a continuation token, which the client follows', async () => {
  shim = await startShim();
  const ids = Array.from({ length: 105 }, (_, index) => `i${String(index).padStart(3, '0')}`);
  for (const instanceId of ids) await shim.client.startNew('waiter', { instanceId });
  const first = await get('/instances/?top=2');
  expect(first.body).toHaveLength(2);
  const token = first.response.headers.get('x-ms-continuation-token') ?? '';
  const second = await get('/instances/?top=2', { 'x-ms-continuation-token': token });
  expect(second.body).toMatchObject([{ instanceId: 'i002' }, { instanceId: 'i003' }]);
  expect((await shim.client.getStatusAll()).map((status) => status.instanceId)).toEqual(ids);
});

test('without rpcBaseUrl, the client uses the webhook routes with the key', async () => {
  shim = await startShim({ systemKey: 'secret/key', config: { defaultVersion: '4' } });
  const binding = JSON.parse(shim.backend.clientBinding()) as Record<string, unknown>;
  const { rpcBaseUrl, ...webhookOnly } = binding;
  expect(rpcBaseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/durabletask\/$/);
  const client = await createClient(JSON.stringify(webhookOnly));
  const id = await client.startNew('waiter', { input: 1, version: '3' });
  await client.raiseEvent(id, 'go', { done: true });
  expect(await waitForStatus(client, id)).toMatchObject({ output: { done: true } });
  expect(await client.purgeInstanceHistory(id)).toMatchObject({ instancesDeleted: 1 });
  expect((await get('/instances/')).response.status).toBe(401);
});

test("createCheckStatusResponse links to the request's origin", async () => {
  shim = await startShim();
  const payload = shim.client.createHttpManagementPayload('one');
  expect(payload.statusQueryGetUri).toMatch(`${shim.baseUrl}${webhooks}/instances/one?taskHub=TestHubName`);
  expect(payload.terminatePostUri).toContain('/terminate?reason={text}&');
});

test('a start can wait for the output', async () => {
  shim = await startShim();
  const start = (name: string, query: string) =>
    fetch(`${shim.baseUrl}${webhooks}/orchestrators/${name}?${query}`, { method: 'POST', body: '7' });
  const waited = await start('quick', 'timeout=5&pollingInterval=0.01');
  expect([waited.status, await waited.json()]).toEqual([200, 7]);
  const timedOut = await start('waiter', 'timeout=0.02&pollingInterval=0.01');
  expect([timedOut.status, await timedOut.json()]).toMatchObject([202, { statusQueryGetUri: expect.any(String) }]);
});

test('a start waits only if both times are numbers and the interval is not larger than the timeout', async () => {
  shim = await startShim();
  const start = async (name: string, query: string) => {
    const url = `${shim.baseUrl}${webhooks}/orchestrators/${name}?${query}`;
    const answer = await fetch(url, { method: 'POST', body: '7' });
    return { status: answer.status, body: (await answer.json()) as unknown };
  };
  const links = { status: 202, body: { statusQueryGetUri: expect.any(String) } };
  expect(await start('quick', 'timeout=5')).toMatchObject(links);
  expect(await start('quick', 'pollingInterval=0.01')).toMatchObject(links);
  expect(await start('quick', 'timeout=soon&pollingInterval=0.01')).toMatchObject(links);
  expect(await start('waiter', 'timeout=1&pollingInterval=2')).toMatchObject({
    status: 400,
    body: { ExceptionMessage: 'Total timeout 1 should be bigger than retry timeout 2' },
  });
  // As on Azure, the instance runs although the request was refused.
  expect(await shim.client.getStatusAll()).toHaveLength(4);
  const failed = await start('broken', 'timeout=5&pollingInterval=0.01');
  expect(failed).toMatchObject({ status: 200, body: { runtimeStatus: 'Failed' } });
});

test.each([
  ['POST', 'instances/one/raise/go', 404, undefined],
  ['POST', 'instances/one/explode', 404, undefined],
  ['GET', 'instances/%zz', 400, "path: expected valid percent-encoding, got '%zz'"],
  [
    'POST',
    'orchestrators/quick?timeout=1&pollingInterval=-1',
    400,
    'pollingInterval: expected a number of at least 0, got -1',
  ],
])('%s %s answers %i', async (method, path, status, message) => {
  shim = await startShim();
  const answer = await fetch(`${shim.baseUrl}${webhooks}/${path}`, { method });
  const text = await answer.text();
  expect([answer.status, text === '' ? undefined : JSON.parse(text).Message]).toEqual([status, message]);
});

test.each(['text/plain', 'text/plain;charset=UTF-8', undefined])('an event of type %s is refused', async (type) => {
  shim = await startShim();
  const id = await shim.client.startNew('waiter');
  const raise = (instance: string) =>
    fetch(`${shim.baseUrl}${webhooks}/instances/${instance}/raiseEvent/go`, {
      method: 'POST',
      body: Buffer.from('"now"'),
      headers: type === undefined ? {} : { 'content-type': type },
    });
  const refused = await raise(id);
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ Message: 'Only application/json request content is supported' });
  expect((await raise('nobody')).status).toBe(404);
  await shim.client.terminate(id, 'enough');
  await waitForStatus(shim.client, id);
  expect((await raise(id)).status).toBe(410);
});

test('an event of type application/json with a charset is accepted', async () => {
  shim = await startShim();
  const id = await shim.client.startNew('waiter');
  const url = `${shim.baseUrl}${webhooks}/instances/${id}/raiseEvent/go`;
  const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
  expect((await fetch(url, { method: 'POST', body: '5', headers })).status).toBe(202);
  expect(await waitForStatus(shim.client, id)).toMatchObject({ output: 5 });
});

test('a custom status of 17 KiB in UTF-16 fails the instance, a smaller one does not', async () => {
  shim = await startShim();
  const run = async (length: number) =>
    waitForStatus(shim.client, await shim.client.startNew('reports', { input: { length } }));
  // 17 KiB are 8,704 characters, including the two quotes of the JSON text.
  expect(await run(8_701)).toMatchObject({ runtimeStatus: 'Completed', customStatus: 'x'.repeat(8_701) });
  expect(await run(8_702)).toMatchObject({
    runtimeStatus: 'Failed',
    customStatus: null,
    output:
      "Orchestrator function 'reports' failed: The UTF-16 size of the JSON-serialized payload must not exceed 16 KB. The current payload size is 17 KB.",
  });
});

test('a suspended instance cannot be suspended again', async () => {
  shim = await startShim();
  const id = await shim.client.startNew('waiter');
  const suspend = () => fetch(`${shim.baseUrl}${webhooks}/instances/${id}/suspend`, { method: 'POST' });
  expect((await suspend()).status).toBe(202);
  await waitForStatus(shim.client, id, ['Suspended']);
  expect((await suspend()).status).toBe(500);
});

test('a path of another owner is left to the host', async () => {
  shim = await startShim();
  expect((await fetch(`${shim.baseUrl}/api/other`)).status).toBe(404);
  expect((await fetch(`${shim.baseUrl}${webhooks}/nothing`)).status).toBe(404);
});
