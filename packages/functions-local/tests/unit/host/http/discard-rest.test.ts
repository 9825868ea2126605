import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { discardRest } from '../../../../src/host/http/body.ts';

const LINGER_MS = 500;
const BODY = 'a body that nobody reads';

const HEAD = `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${BODY.length}\r\n\r\n`;

/** How far the server reads before it answers. */
const READERS: Record<string, (request: IncomingMessage) => void> = {
  'nothing of it was read': () => undefined,
  'a reader gave it up': (request) => {
    const given = request.iterator({ destroyOnReturn: false }).next();
    given.catch(() => undefined); // The connection that is cut.
  },
};

describe.each(Object.entries(READERS))('an answer before the body came, when %s', (_, read) => {
  let server: Server;
  let client: Socket;
  afterEach(() => {
    client.destroy();
    server.close();
  });

  async function answered(): Promise<{ received: () => string }> {
    server = createServer((request: IncomingMessage, response: ServerResponse) => {
      response.once('finish', () => discardRest(request, response, LINGER_MS));
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
    await expect.poll(() => text, { timeout: 10_000 }).toContain('401');
    return { received: () => text };
  }

  it('leaves the connection to the next request once the body has come', async () => {
    const { received } = await answered();
    client.write(BODY);

    await sleep(2 * LINGER_MS);
    client.write(`${HEAD}${BODY}`);

    await expect.poll(() => received().split('401').length - 1, { timeout: 10_000 }).toBe(2);
  });

  it('cuts a connection whose body does not come', async () => {
    await answered();

    await once(client, 'close', { signal: AbortSignal.timeout(10_000) });
  });
});
