import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connectionString } from '../../../local/storage/index.ts';
import { createMeter } from '../../../shared/cost/meter.ts';
import { isOutage, statusOf } from '../../../shared/errors.ts';
import { readSettings } from '../../../shared/settings.ts';
import { type Clients, createClients } from '../../../shared/storage/clients.ts';
import { RETRY_LIMITS, type RetryLimits } from '../../../shared/storage/retry-limits.ts';
import { connectionsTo } from '../../helpers/connections.ts';

// A stand-in for the storage services: Azurite can neither fall silent nor break off on demand.
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const BODY = Buffer.from('0123456789');
const refusal =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    void response.writeHead(status, headers).end();
const silence: Answer = () => undefined;
const reset: Answer = (request) => void request.socket.destroy();
/** Announces the whole body and sends half of it. */
const half =
  (after: (response: ServerResponse) => void): Answer =>
  (_request, response) => {
    response.writeHead(200, { 'content-length': BODY.length, etag: '"e"' });
    response.write(BODY.subarray(0, 5), () => after(response));
  };
const fine: Answer = ({ method, url = '', headers }, response) => {
  if (method !== 'GET') return void response.writeHead(url.includes('/batches') ? 204 : 201, { etag: 'W/"e"' }).end();
  if (url.includes('/batches'))
    return void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"PartitionKey":"p","RowKey":"r"}');
  const [, from = '0'] = /bytes=(\d+)-/.exec(String(headers['x-ms-range'] ?? '')) ?? [];
  const content = BODY.subarray(Number(from));
  response.writeHead(206, { 'content-length': content.length, etag: '"e"' }).end(content);
};

let server: Server;
let answers: Answer[];
let requests: { method: string; url: string; signature: string }[];
let clients: Clients;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on('end', () => {
      requests.push({
        method: String(request.method),
        url: String(request.url),
        signature: String(request.headers.authorization),
      });
      (answers.shift() ?? fine)(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  answers = [];
  requests = [];
  clients = clientsWith({});
});

/** Short limits: a test must not wait for them. */
function clientsWith(limits: Partial<RetryLimits>): Clients {
  const { port } = server.address() as AddressInfo;
  const settings = readSettings(connectionsTo(connectionString({ blob: port, queue: port, table: port })));
  const short = { tries: 3, tryMs: 100, totalMs: 5_000, gapMs: 100, firstDelayMs: 1, longestDelayMs: 2 };
  return createClients(settings, createMeter(), { ...RETRY_LIMITS, ...short, ...limits });
}

const blob = () => clients.container('payloads').getBlockBlobClient('a.zst');
const CALLS: [string, () => Promise<unknown>][] = [
  ['blob', () => blob().upload('x', 1)],
  ['queue', () => clients.queue('q').create()],
  ['table', () => clients.batches.getEntity('p', 'r')],
];
const failure = async (call: () => Promise<unknown>): Promise<unknown> => {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error('The call was expected to fail.');
};

describe.each(CALLS)('a call of the %s client', (_service, call) => {
  test.each<[string, Answer]>([
    ['408', refusal(408)],
    ['429', refusal(429)],
    ['500', refusal(500)],
    ['502', refusal(502)],
    ['503', refusal(503)],
    ['504', refusal(504)],
    ['a cut connection', reset],
    ['silence', silence],
  ])('is repeated after %s, and succeeds', async (_what, answer) => {
    answers = [answer, answer];

    await call();

    expect(requests).toHaveLength(3);
  });

  test.each([400, 403, 404, 409, 412, 501])('is not repeated after %i', async (status) => {
    answers = [refusal(status)];

    expect(statusOf(await failure(call))).toBe(status);
    expect(requests).toHaveLength(1);
  });

  test('ends with the last answer when all tries are used up', async () => {
    answers = Array(5).fill(refusal(503));

    expect(statusOf(await failure(call))).toBe(503);
    expect(requests).toHaveLength(3);
  });

  test('ends, as an outage, when the service stays silent', async () => {
    answers = Array(5).fill(silence);

    const error = await failure(call);

    expect(isOutage(error)).toBe(true);
    expect(String(error)).toContain('expected an answer within 100 ms, got none');
    expect(requests).toHaveLength(3);
  });

  test('ends with the time over all tries, though tries are left', async () => {
    clients = clientsWith({ tries: 100, totalMs: 250 });
    answers = Array(100).fill(silence);

    expect(isOutage(await failure(call))).toBe(true);
    expect(requests.length).toBeLessThan(5);
  });

  test('is not repeated when the service asks for a longer wait than the call has left', async () => {
    clients = clientsWith({ totalMs: 900 });
    answers = [refusal(503, { 'retry-after': '1' })];

    expect(statusOf(await failure(call))).toBe(503);
    expect(requests).toHaveLength(1);
  });
});

test('each try of a blob or queue call is signed anew, once its date has changed', async () => {
  answers = [refusal(503, { 'retry-after': '2' })];

  await blob().upload('x', 1);

  expect(new Set(requests.map(({ signature }) => signature)).size).toBe(2);
});

test('a call that its caller aborts ends at once, and is not repeated', async () => {
  clients = clientsWith({ tryMs: 60_000, totalMs: 60_000 });
  const controller = new AbortController();
  answers = [() => controller.abort()];

  const error = await failure(() => blob().upload('x', 1, { abortSignal: controller.signal }));

  expect((error as Error).name).toBe('AbortError');
  expect(requests).toHaveLength(1);
});

test('a call that its caller aborts between two tries ends at once', async () => {
  clients = clientsWith({ totalMs: 60_000 });
  const controller = new AbortController();
  answers = [
    (_request, response) => {
      response.writeHead(503, { 'retry-after': '30' }).end();
      setTimeout(() => controller.abort(), 20);
    },
  ];

  const error = await failure(() => blob().upload('x', 1, { abortSignal: controller.signal }));

  expect((error as Error).name).toBe('AbortError');
  expect(requests).toHaveLength(1);
});

describe('an answer whose body breaks off', () => {
  const rest = half((response) => void response.destroy());
  const stall = half(() => undefined);

  test.each([
    ['is cut', rest],
    ['stops', stall],
  ])('of a table that %s is asked for again', async (_what, answer) => {
    answers = [
      (request, response) => {
        response.setHeader('content-type', 'application/json');
        answer(request, response);
      },
    ];

    expect(await clients.batches.getEntity('p', 'r')).toMatchObject({ partitionKey: 'p', rowKey: 'r' });
    expect(requests).toHaveLength(2);
  });

  test.each([
    ['is cut', rest],
    ['stops', stall],
  ])('of a blob that %s is gone on with where it broke off', async (_what, answer) => {
    answers = [answer];

    expect(await blob().downloadToBuffer(0, BODY.length)).toEqual(BODY);
    expect(requests).toHaveLength(2);
  });

  test.each([
    ['is cut', rest],
    ['stops', stall],
  ])('of a blob that always %s fails', async (_what, answer) => {
    answers = Array(10).fill(answer);
    const { readableStreamBody } = await blob().download(0, undefined, { maxRetryRequests: 0 });

    expect(await failure(() => buffer(readableStreamBody as NodeJS.ReadableStream))).toBeInstanceOf(Error);
  });
});

test('a body that nobody reads for a while does not count as stopped', async () => {
  const large = Buffer.alloc(4 * 1024 * 1024, 'x');
  answers = [
    (_request, response) => void response.writeHead(200, { 'content-length': large.length, etag: '"e"' }).end(large),
  ];
  const { readableStreamBody } = await blob().download();
  await new Promise((resolve) => setTimeout(resolve, 300));

  expect(await buffer(readableStreamBody as NodeJS.ReadableStream)).toEqual(large);
  expect(requests).toHaveLength(1);
});

test('a large body gets the time that a slow link takes for it', async () => {
  clients = clientsWith({ tryMs: 50, bytesPerSecond: 1024, tries: 1 });
  answers = [(_request, response) => void setTimeout(() => response.writeHead(201, { etag: '"e"' }).end(), 300)];

  await blob().stageBlock('AAAA', Buffer.alloc(1024), 1024);

  expect(requests).toHaveLength(1);
});
