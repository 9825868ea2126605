import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { discardRest } from '../../../../src/host/http/body.ts';

const LINGER_MS = 500;
const BODY = 'a body that nobody reads';

const HEAD = `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${BODY.length}\r\n\r\n`;

/** How much the server reads before it answers. */
const READERS: Record<string, (request: IncomingMessage) => void> = {
  'no byte of it was read': () => undefined,
  'a reader stopped': (request) => {
    const given = request.iterator({ destroyOnReturn: false }).next();
    given.catch(() => undefined); // The connection that is cut.
  },
};

describe.each(Object.entries(READERS))('an answer before the body is complete, when %s', (_, read) => {
  let server: Server;
  let client: Socket;
  // The test decides when the time ends: a busy machine must not cut the connection before the body arrives.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => {
    vi.useRealTimers();
    client.destroy();
    server.close();
  });

  /** `ended`: the body of the first request is complete. */
  async function answered(): Promise<{ received: () => string; ended: Promise<void> }> {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    server = createServer((request: IncomingMessage, response: ServerResponse) => {
      response.once('finish', () => {
        discardRest(request, response, LINGER_MS);
        request.once('end', resolve);
      });
      read(request);
      response.writeHead(401, { 'content-length': 0 }).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let text = '';
    client.on('data', (chunk) => {
      text += chunk;
    });
    client.write(HEAD);
    await expect.poll(() => text).toContain('401');
    return { received: () => text, ended };
  }

  it('keeps the connection for the next request when the body is complete', async () => {
    const { received, ended } = await answered();
    client.write(BODY);
    await ended;

    vi.advanceTimersByTime(2 * LINGER_MS);
    client.write(`${HEAD}${BODY}`);

    await expect.poll(() => received().split('401').length - 1).toBe(2);
  });

  it('cuts a connection whose body does not arrive', async () => {
    await answered();

    vi.advanceTimersByTime(LINGER_MS);

    await once(client, 'close', { signal: AbortSignal.timeout(10_000) });
  });
});
