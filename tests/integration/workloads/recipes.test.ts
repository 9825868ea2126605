/** The recipes of docs/recipes.md. Each is run twice, as after a crash between the effect and its record. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { startServiceBus } from 'functions-local/service-bus';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runWorkload } from '../../../shared/kit/run-workload.ts';
import type { ItemContext } from '../../../shared/workload/define.ts';
import { type MailProvider, startMailProvider } from '../../helpers/servers/mail-provider.ts';
import credits from '../../recipes/credits.ts';
import { sqlite } from '../../recipes/database.ts';
import mail from '../../recipes/mail.ts';
import notices from '../../recipes/notices.ts';
import orders from '../../recipes/orders.ts';

const order = (id: string, shop: string, cents: number) => ({ id, shop, cents });

describe('orders: a call of an HTTP service', () => {
  let server: Server;
  /** The bookings of the ledger, by idempotency key. */
  const booked = new Map<string, string>();
  const requests: string[] = [];

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const { id } = JSON.parse(await text(request)) as { id: string };
      const isFirst = !requests.includes(id);
      requests.push(id);
      if (id === 'closed') response.writeHead(422).end('order "closed" is closed');
      else if (id === 'busy' && isFirst) response.writeHead(429, { 'retry-after': '30' }).end();
      else if (id === 'expired' && isFirst) response.writeHead(401).end();
      else if (id === 'down' && isFirst) response.writeHead(503).end('not now');
      else {
        booked.set(String(request.headers['idempotency-key']), id);
        // The entry is stored, but the caller gets no response.
        if (id === 'cut' && isFirst) response.destroy();
        else response.end(JSON.stringify({ entry: `entry of ${id}` }));
      }
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    process.env.LEDGER_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    delete process.env.LEDGER_URL;
    server.closeAllConnections();
    server.close();
  });

  const items = ['one', 'busy', 'closed', 'expired', 'down', 'cut'].map((id) => order(id, 'atlas', 100));

  it('handles each order by the response of the service, and books it once', async () => {
    const { results, deadLetters, report, retried } = await runWorkload(orders, items);
    expect(results).toHaveLength(5);
    expect(results[0]).toEqual({ ...items[0], entry: 'entry of one' });
    expect(deadLetters.map(({ index, reason, error }) => [index, reason, error.message])).toEqual([
      [2, 'rejected', 'The ledger refused it: "order "closed" is closed"'],
    ]);
    expect(report).toEqual({ atlas: { orders: 5, cents: 500, average: 100 } });
    expect(retried).toBe(4);
    expect([...booked.values()].toSorted()).toEqual(['busy', 'cut', 'down', 'expired', 'one']);
  });

  it('changes nothing when it runs again', async () => {
    const before = new Map(booked);
    await runWorkload(orders, items);
    expect(booked).toEqual(before);
  });

  it('begins no call after the batch was cancelled', async () => {
    const { results, cancelled, calls } = await runWorkload({ ...orders, concurrency: 1 }, items, {
      cancelAfterCalls: 2,
    });
    expect(calls).toEqual([1, 1, 0, 0, 0, 0]);
    expect(results.length + cancelled).toBe(6);
  });

  it('runs in a worker thread', async () => {
    const many = Array.from({ length: 40 }, (_, i) => order(`order-${i}`, 'atlas', i));
    const threads = new URL('../../recipes/orders.ts', import.meta.url);
    const { results, maxInFlight } = await runWorkload({ ...orders, concurrency: 4 }, many, { threads });
    expect(results).toHaveLength(40);
    expect(maxInFlight).toBe(4);
  });

  it('retries after the time that the service requests', async () => {
    requests.length = 0;
    const context = { idempotencyKey: 'key', signal: new AbortController().signal } as ItemContext;
    const call = async () => orders.map?.(order('busy', 'atlas', 1), context);
    await expect(call).rejects.toMatchObject({ name: 'Retry', after: 30 });
  });
});

describe('credits: rows in a database', () => {
  const items = [5, 7, 1_000, 9].map((cents, i) => ({ account: `account-${i}`, cents }));

  it('are stored once, however often their group runs; a refused one is a dead letter alone', async () => {
    for (let run = 0; run < 2; run += 1) {
      const { results, deadLetters } = await runWorkload(credits, items);
      expect(results).toEqual([items[0], items[1], items[3]]);
      expect(deadLetters).toMatchObject([{ index: 2, reason: 'rejected', error: { name: 'Reject' } }]);
    }
    expect(sqlite().prepare('SELECT account, cents FROM credits ORDER BY key').all()).toEqual([
      { account: 'account-0', cents: 5 },
      { account: 'account-1', cents: 7 },
      { account: 'account-3', cents: 9 },
    ]);
  });

  it('get the values of a corrected item, because its key is the same', async () => {
    await runWorkload(credits, [{ account: 'account-0', cents: 6 }]);
    expect(sqlite().prepare("SELECT cents FROM credits WHERE account = 'account-0'").all()).toEqual([{ cents: 6 }]);
  });
});

describe('notices: messages of a queue', () => {
  it('are sent once, however often their group is sent; one that fits in no batch is a dead letter', async () => {
    const Queues = [{ Name: 'notices', Properties: { RequiresDuplicateDetection: true } }];
    const config = { UserConfig: { Namespaces: [{ Name: 'test', Queues }] } };
    const bus = await startServiceBus({ config, file: ':memory:' });
    process.env.NOTICES_BUS = bus.connectionString;
    try {
      // Batch and record use 256 KiB: three items need two batches, and one is too large together with its envelope.
      const items = [100_000, 100_000, 262_100, 100_000].map((length, i) => ({
        to: `r${i}`,
        text: 'x'.repeat(length),
      }));
      for (let run = 0; run < 2; run += 1) {
        const { results, deadLetters } = await runWorkload(notices, items);
        expect(results).toHaveLength(3);
        expect(deadLetters).toMatchObject([{ index: 2, reason: 'rejected' }]);
      }
      expect(bus.counts()).toMatchObject({ notices: { active: 3 } });
    } finally {
      delete process.env.NOTICES_BUS;
      await bus.close();
    }
  });
});

describe('mail: many addresses per call, and a result for each', () => {
  let provider: MailProvider;
  const startWith = async (limit?: { calls: number; perMs: number }): Promise<void> => {
    provider = await startMailProvider({ latencyMs: 1, ...(limit ? { limit } : {}) });
    process.env.MAIL_URL = provider.url;
  };
  afterEach(() => {
    delete process.env.MAIL_URL;
    provider.stop();
  });

  const messageTo = (to: string) => ({ to, subject: 'Your invoice', text: 'It is attached.' });
  const items = ['ada@a.example', 'gone@a.example', 'full@b.example', 'bob@b.example'].map(messageTo);

  it('handles each address by its own result, and sends to it once', async () => {
    await startWith();
    for (let run = 0; run < 2; run += 1) {
      const { results, deadLetters, report } = await runWorkload(mail, items);
      expect(results).toHaveLength(3);
      expect(deadLetters).toMatchObject([
        { index: 1, reason: 'rejected', error: { message: expect.stringMatching(/gone/) } },
      ]);
      expect(report).toEqual({ 'a.example': 1, 'b.example': 2 });
    }
    expect([...provider.sent.values()].toSorted()).toEqual(['ada@a.example', 'bob@b.example', 'full@b.example']);
  });

  it('makes as few calls as possible for the addresses', async () => {
    await startWith();
    const many = Array.from({ length: 1_001 }, (_, n) => messageTo(`${n}@a.example`));
    await runWorkload(mail, many);
    expect(provider.calls.map((call) => call.items).toSorted((a, b) => b - a)).toEqual([200, 200, 200, 200, 200, 1]);
  });

  it('retries after the time in the 429 of the provider', async () => {
    await startWith({ calls: 1, perMs: 30_000 });
    const contexts = [{ idempotencyKey: 'key', signal: new AbortController().signal } as ItemContext];
    const call = async () => mail.mapChunk?.([messageTo('ada@a.example')], contexts);
    await call();
    await expect(call).rejects.toMatchObject({ name: 'Retry', after: 30 });
    expect(provider.refusedAtMs).toHaveLength(1);
  });
});
