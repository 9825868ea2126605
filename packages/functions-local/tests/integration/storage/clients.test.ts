import { once } from 'node:events';
import { Agent, createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../src/ports.ts';
import {
  type ClientOptions,
  createStorageFront,
  EMULATOR_ACCOUNT,
  type Intercept,
  type StorageCall,
} from '../../../src/storage/index.ts';
import { sharedKey } from '../../../src/storage/rules/shared-key.ts';
import { type Fixture, refusalOf, type SdkClient, startFixture } from './fixture.ts';
import { callRaw } from './raw.ts';

let fixture: Fixture;
const opened: SdkClient[] = [];
beforeAll(async () => {
  fixture = await startFixture();
  await fixture.direct.queue('work');
});
afterEach(() => {
  for (const client of opened.splice(0)) client.close();
});
afterAll(() => fixture.stop());

async function add(options?: ClientOptions): Promise<SdkClient> {
  const client = await fixture.add(options);
  opened.push(client);
  return client;
}
const put = { service: 'queue', method: 'POST', path: 'work/messages' } as const;
const MESSAGE = '<QueueMessage><MessageText>x</MessageText></QueueMessage>';
const properties = { service: 'queue', method: 'GET', path: 'work?comp=metadata' } as const;

describe('the clock of a client', () => {
  const MINUTE = 60_000;

  test.each([14 * MINUTE, -14 * MINUTE])('is used in each answer: %d ms', async (offsetMs) => {
    const client = await add({ clockOffsetMs: () => offsetMs });
    const answer = await callRaw(client.ports, properties);
    const ahead = Date.parse(answer.headers.get('date') ?? '') - Date.now();
    expect(answer.status).toBe(200);
    expect(Math.abs(ahead - offsetMs)).toBeLessThan(5_000);
  });

  test.each([16 * MINUTE, -16 * MINUTE])(
    'refuses dates more than 15 minutes away: %d ms, and only for this client',
    async (offsetMs) => {
      const client = await add({ clockOffsetMs: () => offsetMs });
      const queue = await (await add()).queue('work');
      expect(await callRaw(client.ports, properties)).toMatchObject({ status: 403, code: 'AuthenticationFailed' });
      expect(await refusalOf(client.table('rows'))).toMatchObject({ status: 403, code: 'AuthenticationFailed' });
      await queue.sendMessage('x');
      const unchecked = await add({ clockOffsetMs: () => offsetMs, checkDates: false });
      expect(await callRaw(unchecked.ports, properties)).toMatchObject({ status: 200 });
    },
  );
});

describe('a web page of another site', () => {
  /** Sends a signed call with these headers of a browser, and returns its status. */
  const browse = async (port: number, headers: Record<string, string>): Promise<number | undefined> => {
    const url = `/${EMULATOR_ACCOUNT.name}/work?comp=metadata`;
    const signed = ['x-ms-date', new Date().toUTCString(), 'x-ms-version', '2021-12-02'];
    const call = { service: 'queue', method: 'GET', url, headers: signed } as const;
    const key = sharedKey(call, EMULATOR_ACCOUNT);
    const pairs = { [signed[0] ?? '']: signed[1], [signed[2] ?? '']: signed[3], authorization: key, ...headers };
    const sent = httpRequest({ host: '127.0.0.1', port, path: url, headers: pairs }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };

  test.each(['the front', 'Azurite'])('gets nothing from %s, although the key is public', async (server) => {
    const { ports } = server === 'Azurite' ? fixture.direct : await add();
    expect(await browse(ports.queue, {})).toBe(200);
    expect(await browse(ports.queue, { origin: 'http://localhost:3000' })).toBe(200);
    expect(await browse(ports.queue, { origin: 'https://evil.example' })).toBe(403);
    expect(await browse(ports.queue, { origin: 'null' })).toBe(403);
    expect(await browse(ports.queue, { host: `evil.example:${ports.queue}` })).toBe(403);
    expect(await browse(ports.queue, { 'sec-fetch-site': 'cross-site' })).toBe(403);
  });
});

test('a call without a version is refused', async () => {
  const { ports } = await add();
  const headers = { 'x-ms-version': undefined };
  expect(await callRaw(ports, { ...properties, headers })).toMatchObject({ status: 400, rule: 'version-required' });
});

test('metadata in 900 headers passes the 16 KiB that Node allows', async () => {
  const { ports } = await add();
  const headers = Object.fromEntries(
    Array.from({ length: 900 }, (_, at) => [`x-ms-meta-a${String(at).padStart(3, '0')}`, 'b']),
  );
  const answer = await callRaw(ports, {
    service: 'queue',
    path: 'work?comp=metadata',
    headers: { ...headers, 'content-length': '0' },
  });
  expect(answer).toMatchObject({ status: 204 });
});

describe('an interceptor', () => {
  test('receives service, method, path, headers and body, and each forward has an effect', async () => {
    const calls: StorageCall[] = [];
    const client = await add({
      intercept: async (call, forward) => {
        calls.push(call);
        await forward();
        return forward();
      },
    });
    const queue = await (await add()).queue('work');
    await queue.clearMessages();
    const answer = await callRaw(client.ports, { ...put, path: 'work/messages?messagettl=%2D1', body: MESSAGE });
    expect(answer).toMatchObject({ status: 201 });
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({
      service: 'queue',
      method: 'POST',
      path: '/devstoreaccount1/work/messages?messagettl=-1',
    });
    expect(String(await calls[0]?.body())).toBe(MESSAGE);
    expect((await queue.getProperties()).approximateMessagesCount).toBe(2);
  });

  test('forwards to the rules and receives their refusals', async () => {
    const statuses: number[] = [];
    const { ports } = await add({
      intercept: async (_call, forward) => {
        const answer = await forward();
        statuses.push(answer.status);
        return answer;
      },
    });
    const body = '<QueueMessage><MessageText>\uFFFF</MessageText></QueueMessage>';
    expect(await callRaw(ports, { ...put, body })).toMatchObject({ status: 400, rule: 'message-xml' });
    expect(statuses).toEqual([400]);
  });

  test.each<[title: string, intercept: Intercept]>([
    ['without an answer', async () => 'reset'],
    ['when it fails', () => Promise.reject(new Error('broken'))],
    ['in the middle of the body', async (_call, forward) => ({ ...(await forward()), cutAfterBytes: 10 })],
  ])('cuts the connection %s', async (_title, intercept) => {
    const { ports } = await add({ intercept });
    await expect(callRaw(ports, { ...put, body: MESSAGE })).rejects.toThrow(/fetch failed|terminated/);
  });

  test('can pause an answer in the body until the client cancels the call', async () => {
    const { ports } = await add({
      intercept: async (_call, forward) => ({ ...(await forward()), cutAfterBytes: 5, cutAfterMs: 60_000 }),
    });
    const signal = AbortSignal.timeout(500);
    const answer = await fetch(`http://127.0.0.1:${ports.blob}/devstoreaccount1?comp=list`, { signal });
    await expect(answer.text()).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  test('can answer itself', async () => {
    const body = Buffer.from('<Error><Code>ServerBusy</Code></Error>');
    const headers = ['Retry-After', '3', 'x-ms-error-code', 'ServerBusy', 'Content-Type', 'application/xml'];
    const { ports } = await add({ intercept: async () => ({ status: 503, headers, body }) });
    const answer = await callRaw(ports, properties);
    expect(answer).toMatchObject({ status: 503, code: 'ServerBusy', text: body.toString() });
    expect(answer.headers.get('retry-after')).toBe('3');
  });
});

test('without an interceptor, a large body is streamed', async () => {
  const { ports } = await add();
  const signed = { authorization: 'SharedKey devstoreaccount1:d3Jvbmc=', 'x-ms-version': '2021-12-02' };
  const headers = { ...signed, 'x-ms-date': new Date().toUTCString() };
  const outgoing = httpRequest({
    ...{ host: '127.0.0.1', port: ports.blob, method: 'PUT', path: '/devstoreaccount1/files/slow', agent: new Agent() },
    headers: { ...headers, 'x-ms-blob-type': 'BlockBlob', 'content-length': 4 * 1024 * 1024 },
  });
  outgoing.write(Buffer.alloc(1024));
  // Azurite refuses an invalid signature after the head of the call. The answer arrives before the body is sent.
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(403);
  outgoing.destroy();
});

test('a connection to the service is closed a second before the service would close it', async () => {
  const service = createServer((_incoming, response) => response.setHeader('Keep-Alive', 'timeout=2').end('fine'));
  service.keepAliveTimeout = 0;
  const closed = new Promise((resolve) => service.once('connection', (socket) => socket.once('close', resolve)));
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const { port } = service.address() as AddressInfo;
  const front = createStorageFront({ services: { blob: port, queue: port, table: port } });
  expect(await callRaw((await front.addClient()).ports, properties)).toMatchObject({ status: 200, text: 'fine' });
  await closed;
  service.close();
  front.close();
});

test('an unavailable service results in a cut connection, until it is available again', async () => {
  const port = await freePort();
  const front = createStorageFront({ services: { blob: port, queue: port, table: port } });
  const { ports } = await front.addClient();
  await expect(callRaw(ports, properties)).rejects.toThrow('fetch failed');
  const service = createServer((_incoming, response) => response.end('back'));
  await new Promise<void>((resolve) => service.listen(port, '127.0.0.1', resolve));
  expect(await callRaw(ports, properties)).toMatchObject({ status: 200, text: 'back' });
  service.closeAllConnections();
  service.close();
  front.close();
});
