import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proxyConnection } from '../../../src/router/proxy-connection.ts';

const TIMEOUT_MS = 200;
const NEVER_MS = 600_000;
/** Listens with the shortest backlog and accepts nothing, like a process after SIGSTOP. */
const FROZEN = `
  const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;

let target: { name: string; port: number; release: () => void } | undefined;
let timeoutMs: number;
let router: Server;
const sockets: Socket[] = [];
const children: ChildProcess[] = [];
const open = (port: number): Socket => {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  return socket;
};
const client = (): Socket => open((router.address() as AddressInfo).port);

beforeEach(async () => {
  target = undefined;
  timeoutMs = NEVER_MS;
  router = createServer({ allowHalfOpen: true }, (socket) => {
    const pick = (tried: ReadonlySet<string>) => (target && !tried.has(target.name) ? target : undefined);
    proxyConnection(socket, pick, timeoutMs);
  });
  router.listen(0, '127.0.0.1');
  await once(router, 'listening');
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const child of children.splice(0)) child.kill('SIGKILL');
  router.close();
  await once(router, 'close');
});

/** The port of a process whose backlog is full. */
async function frozenPort(): Promise<number> {
  const child = spawn(process.execPath, ['-e', FROZEN], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(String(text));
  await Promise.all([once(open(port), 'connect'), once(open(port), 'connect')]);
  return port;
}

describe('a connection to the router', () => {
  it('is closed if the client ends it before it has sent a byte', async () => {
    const socket = client();
    socket.end();
    await once(socket, 'close');
    expect(socket.bytesRead).toBe(0);
  });

  it('gets 502 if its instance does not accept it in time', async () => {
    const port = await frozenPort();
    timeoutMs = TIMEOUT_MS;
    target = { name: 'frozen', port, release: () => {} };
    const socket = client();
    socket.write('GET / HTTP/1.1\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(String(answer)).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
  });

  it('does not count any more if the client disconnects before its instance accepts it', async () => {
    const port = await frozenPort();
    const gone = Promise.withResolvers<void>();
    const picked = Promise.withResolvers<void>();
    target = {
      name: 'frozen',
      get port() {
        picked.resolve();
        return port;
      },
      release: gone.resolve,
    };
    const socket = client();
    socket.write('GET / HTTP/1.1\r\n\r\n');
    await picked.promise;
    socket.resetAndDestroy();
    await gone.promise;
  });
});
