import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as df from 'durable-functions';
import { createDurableBackend } from '../../src/durable/index.ts';
import type { DurableBackend, DurableBackendOptions, InvokeRequest, RpcValue } from '../../src/durable/types.ts';
// Imported first, since it provides the module that the libraries below require.
import { invokeRegistered, registeredFunctions } from '../../src/testing/functions-core.ts';

type Invoke = DurableBackendOptions['invoke'];

/** A wrapper around an invocation. */
export type Around = (request: InvokeRequest, next: Invoke) => ReturnType<Invoke>;

interface ShimOptions extends Partial<Omit<DurableBackendOptions, 'invoke' | 'baseUrl'>> {
  /** Wraps every invocation, for example to delay or to count it. */
  around?: Around;
}

/** The smallest host between the real library and a backend. */
export interface Shim {
  backend: DurableBackend;
  client: df.DurableClient;
  baseUrl: string;
  logs: string[];
  stop(graceMs?: number): Promise<void>;
}

const durableKinds: Record<string, 'orchestrator' | 'activity' | undefined> = {
  orchestrationTrigger: 'orchestrator',
  activityTrigger: 'activity',
};

df.app.client.generic('test-client', {
  trigger: { type: 'testTrigger', name: 'trigger' },
  handler: (_trigger, client) => client,
});

/** Starts a backend with all functions that are registered in this process. */
export async function startShim({ around, ...options }: ShimOptions = {}): Promise<Shim> {
  const server = createServer(async (request, response) => {
    if (!(await backend.handle(request, response))) response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.env.WEBSITE_HOSTNAME = host;
  const logs: string[] = [];
  const backend = createDurableBackend({
    file: ':memory:',
    config: {},
    ...options,
    baseUrl: `http://${host}`,
    invoke: around ? (request) => around(request, invoke) : invoke,
    log: (level, message) => logs.push(`${level}: ${message}`),
  });
  for (const { metadata, triggerType } of registeredFunctions) {
    const kind = durableKinds[triggerType];
    if (kind) backend.register(metadata.name, kind);
  }
  await backend.start();
  const client = await createClient(backend.clientBinding());
  const stop = async (graceMs?: number) => {
    await backend.stop(graceMs);
    server.closeAllConnections();
    server.close();
  };
  return { backend, client, baseUrl: `http://${host}`, logs, stop };
}

/** Creates the library's client for a binding. */
export async function createClient(binding: string): Promise<df.DurableClient> {
  const { result } = await invokeRegistered(find('test-client'), '{}', binding);
  return result as df.DurableClient;
}

async function invoke(request: InvokeRequest): Promise<RpcValue | undefined> {
  return (await invokeRegistered(find(request.functionName), request.input, '{}')).returnValue;
}

function find(name: string) {
  const found = registeredFunctions.find(({ metadata }) => metadata.name.toLowerCase() === name.toLowerCase());
  if (!found) throw new Error(`No function '${name}' is registered`);
  return found;
}

const finished = ['Completed', 'Failed', 'Terminated', 'Canceled'];

/** Waits until the instance is finished, or has one of the statuses. Throws after thirty seconds. */
export async function waitForStatus(
  client: df.DurableClient,
  id: string,
  wanted: readonly string[] = finished,
): Promise<df.DurableOrchestrationStatus> {
  const end = Date.now() + 30_000;
  for (;;) {
    const status = await client.getStatus(id, { showInput: true });
    if (wanted.includes(status.runtimeStatus)) return status;
    if (Date.now() > end) throw new Error(`Instance ${id} is still ${status.runtimeStatus}`);
    await delay(5);
  }
}

/** Waits until `check` is true. Throws after thirty seconds. */
export async function waitUntil(check: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 30_000;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`Not within thirty seconds: ${check}`);
    await delay(5);
  }
}

/** Creates the path of a store file in a temporary folder, and a function that deletes it. */
export function temporaryStore(): { file: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'durable-'));
  return { file: join(folder, 'store.db'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A promise and the functions that settle it. */
export function gate(): { opened: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
