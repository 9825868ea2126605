import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { DurableBackend } from '../../../src/durable/types.ts';
import type { CorsOptions } from '../../../src/host/http/cors.ts';
import type { HostKeys } from '../../../src/host/http/keys.ts';
import { createRequestHandler, type RequestHandlers } from '../../../src/host/start/request-handler.ts';

const ADMIN = '/admin/functions';
const WEBHOOK = '/runtime/webhooks/durabletask/orchestrators/flow';
const FOREIGN = 'https://evil.example';
const durable = {
  handle: async (_request, response) => {
    response.writeHead(202).end();
    return true;
  },
} as Pick<DurableBackend, 'handle'> as DurableBackend;

let server: Server;
afterEach(() => void server.close());

interface Sent {
  keys?: HostKeys;
  cors?: CorsOptions;
  headers?: Record<string, string>;
}

async function status(path: string, { keys, cors, headers = {} }: Sent): Promise<number | undefined> {
  const admin = { functionNames: () => [], findRunner: () => undefined, ...(keys ? { keys } : {}) };
  const http = { routes: [] };
  server = createServer(createRequestHandler({ admin, http, durable, cors } as unknown as RequestHandlers));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.once('error', reject).end();
  });
}

test.each([
  [ADMIN, {}, 200],
  [ADMIN, { headers: { host: 'evil.example' } }, 403],
  [ADMIN, { headers: { origin: FOREIGN } }, 403],
  ['/ADMIN/functions', { headers: { host: 'evil.example' } }, 403],
  [WEBHOOK, {}, 202],
  [WEBHOOK, { headers: { host: 'evil.example' } }, 403],
  [WEBHOOK, { headers: { origin: FOREIGN } }, 403],
  [WEBHOOK, { headers: { origin: FOREIGN }, cors: { origins: [FOREIGN], credentials: false } }, 202],
  [WEBHOOK, { headers: { host: 'evil.example' }, cors: { origins: ['*'], credentials: false } }, 403],
  [`${ADMIN}?code=M`, { headers: { host: 'tunnel.example' }, keys: { master: 'M' } }, 200],
  ['/', { headers: { host: 'tunnel.example' } }, 200],
])('%s %j: %d', async (path, sent, expected) => expect(await status(path, sent)).toBe(expected));
