import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostProcess, startHostProcess } from '../../helpers/host-process.ts';

const LIMIT = 1_000_000;
let host: HostProcess;

beforeAll(async () => {
  host = await startHostProcess({
    appFolder: fileURLToPath(new URL('fixtures/stream-app', import.meta.url)),
    args: ['--response-timeout-ms', '300'],
    env: { FUNCTIONS_REQUEST_BODY_SIZE_LIMIT: String(LIMIT) },
  });
});
afterAll(() => host.stop());

/** Sends a body in chunks, without a length. */
function upload(path: string, bytes: number): Promise<Response> {
  let left = bytes;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const size = Math.min(left, 64 * 1024);
      left -= size;
      if (size > 0) controller.enqueue(new Uint8Array(size));
      else controller.close();
    },
  });
  return fetch(`${host.url}${path}`, { method: 'POST', body, duplex: 'half' });
}

describe('streamed requests and answers', () => {
  it('transfer path, query, headers, cookies and body in both directions', async () => {
    const answer = await fetch(`${host.url}/api/echo/5?q=a&q=b%20c&id=6&code=k`, { method: 'POST', body: 'hello' });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('x-id')).toBe('5');
    expect(answer.headers.get('x-query')).toBe('a|b c');
    expect(answer.headers.get('x-url')).toBe(`${host.url}/api/echo/5?q=a&q=b%20c&id=6&code=k`);
    expect(answer.headers.get('x-params')).toBe('{"q":"b c","id":"5"}');
    expect(answer.headers.getSetCookie()).toEqual(['seen=yes; Path=/']);
    expect(answer.headers.has('x-ms-invocation-id')).toBe(false);
    expect(await answer.text()).toBe('hello');
  });

  it('send parts immediately', async () => {
    const answer = await fetch(`${host.url}/api/drip`);
    const parts: string[] = [];
    for await (const part of answer.body ?? []) parts.push(Buffer.from(part).toString());
    expect(parts).toEqual(['one ', 'two ', 'three']);
  });

  it('count an upload without a length', async () => {
    expect(await (await upload('/api/count', 900_000)).json()).toEqual({ bytes: 900_000, header: null });
  });

  it('keep the connection after a body that the function did not read', async () => {
    expect(await (await upload('/api/ignores-body', 500_000)).text()).toBe('ok');
    expect(await (await upload('/api/count', 10)).json()).toMatchObject({ bytes: 10 });
  });

  it('serve many requests at the same time', async () => {
    const bodies = Array.from({ length: 200 }, (_, index) => `body ${index}`);
    const answers = await Promise.all(
      bodies.map((body) => fetch(`${host.url}/api/echo`, { method: 'PUT', body }).then((answer) => answer.text())),
    );
    expect(answers).toEqual(bodies);
  });
});

describe('answers without a result of the function', () => {
  it.each([
    ['GET', '/api/fail', 500],
    ['GET', '/api/nothing', 204],
    ['GET', '/api/off', 404],
    ['GET', '/api/echo', 404],
    ['POST', '/api/echo/no-number', 404],
    ['GET', '/api/unknown', 404],
    ['GET', '/', 200],
  ])('%s %s: %d', async (method, path, status) => {
    const answer = await fetch(`${host.url}${path}`, { method });
    await answer.arrayBuffer();
    expect(answer.status).toBe(status);
  });

  it('cuts the connection if the body fails halfway', async () => {
    const answer = await fetch(`${host.url}/api/fail-late`);
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  });

  it('answers 502 if no answer starts in time, and drops the late one', async () => {
    const answer = await fetch(`${host.url}/api/slow?ms=400`);
    expect(answer.status).toBe(502);
    await host.waitFor(/Executed 'Functions\.slow' \(Succeeded/);
  });

  it('does not limit the duration of an answer that has started', async () => {
    const answer = await fetch(`${host.url}/api/slow?ms=10`);
    expect(await answer.text()).toBe('slow');
  });

  it('accepts an absolute request target and refuses an invalid one', async () => {
    const status = (target: string) =>
      new Promise<string>((resolve) => {
        const socket = connect(Number(new URL(host.url).port), '127.0.0.1');
        socket.once('data', (data) => {
          resolve(data.toString().slice(9, 12));
          socket.destroy();
        });
        socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      });
    expect(await status(`${host.url}/api/nothing`)).toBe('204');
    expect(await status('//api/nothing')).toBe('404');
    expect(await status('http://[')).toBe('400');
  });
});

describe('body limit', () => {
  it('refuses by Content-Length before the function runs', async () => {
    const answer = await fetch(`${host.url}/api/ignores-body`, { method: 'POST', body: new Uint8Array(LIMIT + 1) });
    expect(answer.status).toBe(413);
  });

  it('refuses by counted bytes while streaming', async () => {
    expect((await upload('/api/count', LIMIT + 200_000)).status).toBe(413);
    await host.waitFor(/BodyTooLargeError|Request body too large/);
  });

  it('accepts a body of exactly the limit', async () => {
    expect(await (await upload('/api/count', LIMIT)).json()).toMatchObject({ bytes: LIMIT });
  });

  it('refuses a client that waits for 100-continue before it sends the body', async () => {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { expect: '100-continue', 'content-length': LIMIT + 1 };
      const request = httpRequest(`${host.url}/api/count`, { method: 'POST', headers }, resolve);
      request.once('continue', () => reject(new Error('the server requested the body')));
      request.once('error', reject);
      request.flushHeaders();
    });
    expect(answer.statusCode).toBe(413);
    answer.destroy();
  });
});

describe('slow and disconnected clients', () => {
  it('waits for a slow client, and stops the source when the client disconnects', async () => {
    const leave = new AbortController();
    const answer = await fetch(`${host.url}/api/flood`, { signal: leave.signal });
    await sleep(300);
    leave.abort();
    await answer.body?.cancel().catch(() => undefined);
    const [, chunks] = await host.waitFor(/flood ended after (\d+) chunks/);
    // The whole body is 4,096 chunks of 64 KiB; two socket buffers contain a fraction of it.
    expect(Number(chunks)).toBeLessThan(400);
  });
});
