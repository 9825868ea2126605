import { createServer, type IncomingMessage, type RequestOptions, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRemoteBackend, type RemoteBackendOptions } from '../../../src/durable/hub/remote-backend.ts';
import { startTaskHub, type TaskHub } from '../../../src/durable/hub/task-hub.ts';
import type { DurableBackend, RpcValue } from '../../../src/durable/types.ts';

let hub: TaskHub;
let logs: string[];
let log: (level: string, message: string) => void;
const backends: DurableBackend[] = [];
const closing: (() => void)[] = [];
beforeEach(async () => {
  // Only of this test: the previous test's hub may still log that an instance has disconnected.
  const own: string[] = [];
  logs = own;
  log = (_level, message) => void own.push(message);
  hub = await startTaskHub({ file: ':memory:', port: 0, log });
});
afterEach(async () => {
  for (const backend of backends.splice(0)) await backend.stop(0);
  for (const close of closing.splice(0)) close();
  await hub.close();
});

function create(options: Partial<RemoteBackendOptions> = {}): DurableBackend {
  const backend = createRemoteBackend({
    ...{ hubUrl: hub.url, instance: 'host-1', config: {}, baseUrl: 'http://127.0.0.1:7071', log },
    invoke: async () => undefined,
    ...options,
  });
  backend.register('flow', 'orchestrator');
  backend.register('work', 'activity');
  backends.push(backend);
  return backend;
}

function connect(instance: string, config: Record<string, unknown> = {}): Promise<void> {
  return create({ instance, config }).start();
}

/** An orchestrator that calls `work` once. Its output is the kind of the resulting event. */
function runFlow(input: string): RpcValue {
  const { history } = JSON.parse(input) as { history: { EventType: number; Reason?: string; Result?: string }[] };
  const end = history.find(({ EventType }) => EventType === 5 || EventType === 6);
  const call = { actionType: 0, functionName: 'work', input: '""' };
  const state = end ? { isDone: true, output: end.Reason ?? end.Result, actions: [[call]] } : { actions: [[call]] };
  return { json: JSON.stringify(state) };
}

/** Like fetch, which does not send the caller's Host and Origin. */
function ask(url: URL, options: RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false, ...options }, (response) => resolve(response.resume()));
    sent.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response);
    });
    sent.once('error', reject).end();
  });
}

/** Runs `flow` with this input until it is finished, and returns its status. */
async function flow(input = ''): Promise<{ runtimeStatus: string; output: string }> {
  const url = `${hub.url}/durabletask/orchestrators/flow?timeout=5&pollingInterval=0.05`;
  const started = await fetch(url, { method: 'POST', body: JSON.stringify(input) });
  expect(started.status).toBe(200);
  const list = await fetch(`${hub.url}/durabletask/instances`);
  return ((await list.json()) as { runtimeStatus: string; output: string }[]).at(-1) ?? expect.fail();
}

test('two instances with the same name are refused', async () => {
  await connect('host-1');
  await expect(connect('host-1')).rejects.toThrow(
    "The task hub refuses this instance: An instance with the name 'host-1' is already connected",
  );
});

test('an invalid name is refused', async () => {
  await expect(connect('../host')).rejects.toThrow('instance is not valid: "../host"');
});

test("a configuration other than the first instance's is ignored, with a warning", async () => {
  await connect('host-1', { maxConcurrentActivityFunctions: 1 });
  await connect('host-2', { maxConcurrentActivityFunctions: 2 });
  expect(logs).toContain(
    "'host-2' has a different host.json from the first instance. Its durableTask section is ignored.",
  );
});

test('an unavailable task hub is reported at the start', async () => {
  await hub.close();
  await expect(connect('host-1')).rejects.toThrow('ECONNREFUSED');
});

test('without an instance the client library gets 503', async () => {
  expect((await fetch(`${hub.url}/durabletask/instances/1`)).status).toBe(503);
});

test('a request of an instance without an upgrade gets 404', async () => {
  await expect(fetch(`${hub.url}/instances`)).resolves.toMatchObject({ status: 404 });
});

test('a connection that sends anything other than lines of JSON is cut', async () => {
  const sent = request(`${hub.url}/instances`, {
    agent: false,
    headers: { connection: 'Upgrade', upgrade: 'functions-local-task-hub' },
  });
  const closed = new Promise<void>((resolve, reject) => {
    sent.once('error', reject).once('upgrade', (_response, socket) => {
      socket.on('error', () => undefined).once('close', () => resolve());
      socket.resume().write('hello\n');
    });
  });
  sent.end();
  await closed;
});

test.each([
  ['result', async () => ({ string: 'x'.repeat(30_000) })],
  ['error', () => Promise.reject(new Error('x'.repeat(30_000)))],
])('an activity whose %s is too large fails, and its connection stays open', async (what, work) => {
  let runs = 0;
  const invoke: RemoteBackendOptions['invoke'] = async ({ kind, input }) => {
    if (kind === 'orchestrator') return runFlow(input);
    runs += 1;
    return work();
  };
  await create({ invoke, maxMessageChars: 20_000 }).start();
  const { runtimeStatus, output } = await flow();
  expect(runtimeStatus).toBe('Completed');
  expect(output).toMatch(new RegExp(`${what} too large: \\d+ characters of JSON, at most 20000`));
  expect(runs).toBe(1);
  expect(logs).not.toContain("Instance 'host-1' has disconnected.");
});

test('an orchestration whose history is too large to be sent fails, and the connection stays open', async () => {
  await hub.close();
  hub = await startTaskHub({ file: ':memory:', port: 0, log, maxMessageChars: 20_000 });
  await create({ invoke: async ({ input }) => runFlow(input) }).start();
  const { runtimeStatus, output } = await flow('x'.repeat(30_000));
  expect(runtimeStatus).toBe('Failed');
  expect(output).toMatch(/input too large: \d+ characters of JSON, at most 20000/);
  expect(logs).not.toContain("Instance 'host-1' has disconnected.");
});

test.each([
  ['another name', { host: 'evil.example' }],
  ['a web page', { origin: 'http://localhost:3000' }],
])('a request of %s is refused', async (_, headers: Record<string, string>) => {
  await connect('host-1');
  const url = new URL(`${hub.url}/durabletask/orchestrators/flow`);
  expect((await ask(url, { method: 'POST', headers })).statusCode).toBe(403);
  const upgrade = { connection: 'Upgrade', upgrade: 'functions-local-task-hub', ...headers };
  await expect(ask(new URL(`${hub.url}/instances`), { headers: upgrade })).rejects.toThrow('socket hang up');
});

test('a web page that the host accepts reaches the hub through the host', async () => {
  const backend = create({ invoke: async ({ input }) => runFlow(input) });
  await backend.start();
  const host = await listen(createServer((request, response) => void backend.handle(request, response)));
  const url = new URL(`${host}/runtime/webhooks/durabletask/orchestrators/flow`);
  const headers = { origin: 'http://shop.example', host: 'tunnel.example' };
  expect((await ask(url, { method: 'POST', headers })).statusCode).toBe(202);
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
