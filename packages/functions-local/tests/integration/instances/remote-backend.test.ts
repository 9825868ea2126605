import { once } from 'node:events';
import { createServer, type RequestListener, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRemoteBackend } from '../../../src/durable/hub/remote-backend.ts';
import type { DurableBackend } from '../../../src/durable/types.ts';

let logs: string[];
const backends: DurableBackend[] = [];
const closing: (() => void)[] = [];
beforeEach(() => {
  logs = [];
});
afterEach(async () => {
  for (const backend of backends.splice(0)) await backend.stop(0);
  for (const close of closing.splice(0)) close();
});

function create(hubUrl: string, instance = 'host-1'): DurableBackend {
  const own = logs;
  const backend = createRemoteBackend({
    ...{ hubUrl, instance, config: {}, baseUrl: 'http://127.0.0.1:7071' },
    log: (_level, message) => void own.push(message),
    invoke: async () => undefined,
  });
  backends.push(backend);
  return backend;
}

/** A hub that the test controls. It stops with the test. */
async function startFakeHub(onUpgrade: (socket: Socket) => void, onRequest?: RequestListener): Promise<string> {
  const server = createServer(onRequest).on('upgrade', (_request, socket: Socket) => {
    // An HTTP server keeps its half of a connection open.
    socket.on('error', () => undefined).once('end', () => socket.end());
    closing.push(() => socket.destroy());
    onUpgrade(socket);
  });
  closing.push(() => server.closeAllConnections());
  return listen(server);
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: functions-local-task-hub\r\n\r\n';

/** Registers an instance, is silent from then on, and returns its name. */
async function registerFrom(socket: Socket): Promise<string> {
  socket.write(SWITCH);
  const [line] = (await once(socket, 'data')) as [Buffer];
  socket.write('{"type":"registered","aliveEveryMs":1000}\n');
  return (JSON.parse(line.toString('utf8')) as { instance: string }).instance;
}

test('an instance stops even if its hub is frozen', async () => {
  const backend = create(await startFakeHub((socket) => void registerFrom(socket)));
  await backend.start();
  await backend.stop(10);
});

test('a paused instance does not connect to a restarted hub', async () => {
  const registered: string[] = [];
  const sockets: Socket[] = [];
  const hubUrl = await startFakeHub(async (socket) => {
    sockets.push(socket);
    registered.push(await registerFrom(socket));
  });
  const paused = create(hubUrl);
  await paused.start();
  await create(hubUrl, 'host-2').start();
  paused.pause();
  for (const socket of sockets) socket.destroy();
  // It lost its connection later, and would therefore reconnect first.
  await expect.poll(() => registered).toContain('host-2');
  await expect.poll(() => registered.filter((name) => name === 'host-2').length).toBe(2);
  expect(registered.filter((name) => name === 'host-1')).toHaveLength(1);
});

test('an instance that stops while it connects does not register', async () => {
  const first = Promise.withResolvers<Socket>();
  const second = Promise.withResolvers<Socket>();
  const hubUrl = await startFakeHub((socket) => {
    if (logs.length > 0) return second.resolve(socket);
    void registerFrom(socket).then(() => first.resolve(socket));
  });
  const backend = create(hubUrl);
  await backend.start();
  (await first.promise).destroy();
  const socket = await second.promise;
  await backend.stop();
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  socket.write(SWITCH);
  await once(socket, 'close');
  expect(received).toEqual([]);
});

test('a client that disconnects cancels its request at the hub', async () => {
  const begun = Promise.withResolvers<ServerResponse>();
  const hubUrl = await startFakeHub(
    () => undefined,
    (_request, response) => begun.resolve(response),
  );
  const backend = create(hubUrl);
  const host = await listen(createServer((request, response) => void backend.handle(request, response)));
  const sent = request(`${host}/runtime/webhooks/durabletask/instances`).once('error', () => undefined);
  sent.end();
  const response = await begun.promise;
  sent.destroy();
  await once(response, 'close');
});
