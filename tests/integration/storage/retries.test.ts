import { buffer } from 'node:stream/consumers';
import {
  carryOut,
  createStorageFront,
  FAULT_STATUSES,
  type FrontClient,
  headerOf,
  type Intercept,
  type StorageAnswer,
  type StorageCall,
  type StorageFault,
} from 'functions-local';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createMeter } from '../../../shared/cost/meter.ts';
import { isOutage, statusOf } from '../../../shared/errors.ts';
import { readSettings } from '../../../shared/settings.ts';
import { type Clients, createClients } from '../../../shared/storage/clients.ts';
import { RETRY_LIMITS, type RetryLimits } from '../../../shared/storage/policies/retry-limits.ts';
import { connectionsTo } from '../../helpers/fakes/connections.ts';

const BODY = Buffer.from('0123456789');
/**
 * Time limit for a service that does not respond. The response to the next try must come sooner, even on a busy
 * machine.
 */
const SILENT_MS = 1_500;
const answerOf = (status: number, headers: string[] = [], body = Buffer.alloc(0)): StorageAnswer => ({
  ...{ status, headers, body },
});
const refusal =
  (status: number): Intercept =>
  async () =>
    answerOf(status);
const fault =
  (what: StorageFault): Intercept =>
  (call, forward) =>
    carryOut(what, call, forward);
const silence = fault({ kind: 'frozen' });
const busy = (retryAfterSeconds?: number): Intercept =>
  fault({ kind: 'status', status: 503, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });

/** The response of a service without faults: there is no service behind the front. */
function fine({ method, url, headers }: StorageCall): StorageAnswer {
  if (method !== 'GET') return answerOf(url.includes('/batches') ? 204 : 201, ['ETag', 'W/"e"']);
  if (url.includes('/batches')) {
    return answerOf(200, ['Content-Type', 'application/json'], Buffer.from('{"PartitionKey":"p","RowKey":"r"}'));
  }
  const [, from = '0'] = /bytes=(\d+)-/.exec(headerOf(headers, 'x-ms-range') ?? '') ?? [];
  return answerOf(206, ['ETag', '"e"'], BODY.subarray(Number(from)));
}

const front = createStorageFront({ services: { blob: 1, queue: 1, table: 1 } });
let client: FrontClient;
let answers: Intercept[];
let requests: StorageCall[];
let clients: Clients;

afterAll(() => front.close());
beforeEach(async () => {
  answers = [];
  const own: StorageCall[] = [];
  requests = own;
  client = await front.addClient({
    intercept: async (call) => {
      own.push(call);
      const forward = async (): Promise<StorageAnswer> => fine(call);
      // On a busy machine, a try that its client has cancelled may arrive after the end of its test, during the next
      // test.
      return ((own === requests && answers.shift()) || forward)(call, forward);
    },
  });
  clients = clientsWith({});
});

/** Short waits, and the time limits of production in tests about something else: a busy machine must not reach them. */
function clientsWith(limits: Partial<RetryLimits>): Clients {
  const settings = readSettings(connectionsTo(client.connectionString()));
  const short = { tries: 3, firstDelayMs: 1, longestDelayMs: 2 };
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
  test.each<[string, Intercept]>([
    ...FAULT_STATUSES.map((status): [string, Intercept] => [String(status), fault({ kind: 'status', status })]),
    ['a cut connection', fault({ kind: 'reset' })],
  ])('is repeated after %s, and succeeds', async (_what, answer) => {
    answers = [answer, answer];

    await call();

    expect(requests).toHaveLength(3);
  });

  test('is repeated after no response, and succeeds', async () => {
    clients = clientsWith({ tryMs: SILENT_MS });
    answers = [silence];

    await call();

    expect(requests).toHaveLength(2);
  });

  test.each([400, 403, 404, 409, 412, 501])('is not repeated after %i', async (status) => {
    answers = [refusal(status)];

    expect(statusOf(await failure(call))).toBe(status);
    expect(requests).toHaveLength(1);
  });

  test('fails with the last response when no try is left', async () => {
    answers = Array(5).fill(busy());

    expect(statusOf(await failure(call))).toBe(503);
    expect(requests).toHaveLength(3);
  });

  test('fails as an outage if the service does not respond', async () => {
    clients = clientsWith({ tryMs: 500, tries: 2 });
    answers = Array(5).fill(silence);

    const error = await failure(call);

    expect(isOutage(error)).toBe(true);
    expect(String(error)).toContain('expected a response within 500 ms, got none');
    expect(requests).toHaveLength(2);
  });

  test('fails at the time limit of all tries, even if tries are left', async () => {
    clients = clientsWith({ tries: 100, tryMs: 100, totalMs: 250 });
    answers = Array(100).fill(silence);

    expect(isOutage(await failure(call))).toBe(true);
    expect(requests.length).toBeLessThan(5);
  });

  test('is not repeated if the service requires a longer wait than the remaining time of the call', async () => {
    clients = clientsWith({ totalMs: 20_000 });
    answers = [busy(30)];

    expect(statusOf(await failure(call))).toBe(503);
    expect(requests).toHaveLength(1);
  });
});

test('each try of a blob or queue call is signed again when its date has changed', async () => {
  answers = [busy(2)];

  await blob().upload('x', 1);

  expect(new Set(requests.map(({ headers }) => headerOf(headers, 'authorization'))).size).toBe(2);
});

test('a call that its caller aborts ends immediately, and is not repeated', async () => {
  const controller = new AbortController();
  answers = [
    (call, forward) => {
      controller.abort();
      return silence(call, forward);
    },
  ];

  const error = await failure(() => blob().upload('x', 1, { abortSignal: controller.signal }));

  expect((error as Error).name).toBe('AbortError');
  expect(requests).toHaveLength(1);
});

test('a call that its caller aborts between two tries ends immediately', async () => {
  const controller = new AbortController();
  answers = [
    (call, forward) => {
      setTimeout(() => controller.abort(), 20);
      return busy(30)(call, forward);
    },
  ];

  const error = await failure(() => blob().upload('x', 1, { abortSignal: controller.signal }));

  expect((error as Error).name).toBe('AbortError');
  expect(requests).toHaveLength(1);
});

describe('a response whose body breaks off', () => {
  const cut = fault({ kind: 'resetInBody' });
  const stall: Intercept = async (_call, forward) => ({
    ...(await forward()),
    ...{ cutAfterBytes: 5, cutAfterMs: 60_000 },
  });
  beforeEach(() => {
    clients = clientsWith({ tryMs: SILENT_MS, gapMs: SILENT_MS });
  });

  test.each([
    ['is cut', cut],
    ['stops', stall],
  ])('is requested again from a table that %s', async (_what, answer) => {
    answers = [answer];

    expect(await clients.batches.getEntity('p', 'r')).toMatchObject({ partitionKey: 'p', rowKey: 'r' });
    expect(requests).toHaveLength(2);
  });

  test.each([
    ['is cut', cut],
    ['stops', stall],
  ])('is resumed at the same position from a blob that %s', async (_what, answer) => {
    answers = [answer];

    expect(await blob().downloadToBuffer(0, BODY.length)).toEqual(BODY);
    expect(requests).toHaveLength(2);
  });

  test.each([
    ['is cut', cut],
    ['stops', stall],
  ])('fails for a blob that always %s', async (_what, answer) => {
    answers = Array(10).fill(answer);
    const { readableStreamBody } = await blob().download(0, undefined, { maxRetryRequests: 0 });

    expect(await failure(() => buffer(readableStreamBody as NodeJS.ReadableStream))).toBeInstanceOf(Error);
  });
});

test('a body that is temporarily not read does not count as stopped', async () => {
  clients = clientsWith({ gapMs: SILENT_MS });
  const large = Buffer.alloc(4 * 1024 * 1024, 'x');
  answers = [async () => answerOf(200, ['ETag', '"e"'], large)];
  const { readableStreamBody } = await blob().download();
  await new Promise((resolve) => setTimeout(resolve, SILENT_MS + 500));

  expect(await buffer(readableStreamBody as NodeJS.ReadableStream)).toEqual(large);
  expect(requests).toHaveLength(1);
});

test('a large body gets the time that a slow connection needs', async () => {
  clients = clientsWith({ tryMs: 50, bytesPerSecond: 100, tries: 1 });
  answers = [fault({ kind: 'late', ms: 300 })];

  await blob().stageBlock('AAAA', Buffer.alloc(1024), 1024);

  expect(requests).toHaveLength(1);
});
