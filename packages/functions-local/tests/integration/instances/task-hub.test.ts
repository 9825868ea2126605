import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRemoteBackend } from '../../../src/durable/hub/remote-backend.ts';
import { startTaskHub, type TaskHub } from '../../../src/durable/hub/task-hub.ts';
import type { DurableBackend } from '../../../src/durable/types.ts';

let hub: TaskHub;
let logs: string[];
const backends: DurableBackend[] = [];
beforeEach(async () => {
  logs = [];
  hub = await startTaskHub({ file: ':memory:', port: 0, log: (_level, message) => logs.push(message) });
});
afterEach(async () => {
  for (const backend of backends.splice(0)) await backend.stop(0);
  await hub.close();
});

function connect(instance: string, config: Record<string, unknown> = {}): Promise<void> {
  const backend = createRemoteBackend({
    ...{ hubUrl: hub.url, instance, config, baseUrl: 'http://127.0.0.1:7071' },
    invoke: async () => undefined,
    log: (_level, message) => logs.push(message),
  });
  backends.push(backend);
  return backend.start();
}

test('two instances of one name are refused', async () => {
  await connect('host-1');
  await expect(connect('host-1')).rejects.toThrow(
    "The task hub refuses this instance: Another instance is called 'host-1'",
  );
});

test('a name that is none is refused', async () => {
  await expect(connect('../host')).rejects.toThrow('instance is not usable: "../host"');
});

test('another configuration than that of the first instance is not read, and said', async () => {
  await connect('host-1', { maxConcurrentActivityFunctions: 1 });
  await connect('host-2', { maxConcurrentActivityFunctions: 2 });
  expect(logs).toContain("'host-2' has another host.json than the instances before it, which is not read.");
});

test('a task hub that is not there is said at the start', async () => {
  await hub.close();
  await expect(connect('host-1')).rejects.toThrow('ECONNREFUSED');
});

test('without an instance the client library gets 503', async () => {
  expect((await fetch(`${hub.url}/durabletask/instances/1`)).status).toBe(503);
});

test('a connection that speaks something else is cut', async () => {
  await expect(fetch(`${hub.url}/instances`)).resolves.toMatchObject({ status: 404 });
});
