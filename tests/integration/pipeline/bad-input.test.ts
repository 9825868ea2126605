import { gzipSync, zstdCompressSync } from 'node:zlib';
import { TableClient } from '@azure/data-tables';
import { QueueServiceClient } from '@azure/storage-queue';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finished, post, report, submit } from '../../helpers/client.ts';
import { ndjson, totalsOf, transaction, transactions } from '../../helpers/data/transactions.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';

const GOOD = ndjson(transactions(3));
const LIMITS = {
  SLUICE_MAX_BODY_BYTES: '200000',
  SLUICE_MAX_DECODED_BYTES: '1000000',
  SLUICE_MAX_RECORD_BYTES: '2000',
  SLUICE_MAX_ITEMS: '500',
  SLUICE_INBOX_SCHEDULE: '',
};

interface Case {
  name: string;
  body: string | Buffer;
  headers?: Record<string, string>;
  status: number;
  type: string;
  says?: RegExp;
  at?: { line: number; column: number };
}
const gzipHeader = { 'content-encoding': 'gzip' };
const zstdHeader = { 'content-encoding': 'zstd' };
const CASES: Case[] = [
  {
    name: 'an unknown content type',
    body: GOOD,
    headers: { 'content-type': 'text/xml' },
    status: 415,
    type: 'unsupported-media-type',
  },
  {
    name: 'an unknown content encoding',
    body: GOOD,
    headers: { 'content-encoding': 'lzma' },
    status: 415,
    type: 'unsupported-media-type',
  },
  {
    name: 'a malformed line',
    body: `${GOOD}{"id":"t4",}\n`,
    status: 400,
    type: 'malformed-record',
    at: { line: 4, column: 12 },
  },
  {
    name: 'a line cut off',
    body: `${GOOD}{"id":"t4"`,
    status: 400,
    type: 'malformed-record',
    at: { line: 4, column: 11 },
  },
  { name: 'an empty body', body: '', status: 400, type: 'empty-batch' },
  { name: 'only blank lines', body: '\n\n', status: 400, type: 'empty-batch' },
  {
    name: 'invalid UTF-8',
    body: Buffer.concat([Buffer.from(GOOD), Buffer.from([0x22, 0xff, 0x22, 0x0a])]),
    status: 400,
    type: 'malformed-record',
    at: { line: 4, column: 2 },
  },
  { name: 'a record over its limit', body: `{"id":"${'x'.repeat(3000)}"}\n`, status: 413, type: 'too-large' },
  { name: 'too many items', body: ndjson(transactions(501)), status: 413, type: 'too-large', says: /SLUICE_MAX_ITEMS/ },
  {
    name: 'a body over its limit',
    body: ndjson(Array.from({ length: 400 }, (_, id) => ({ ...transaction(id), note: 'x'.repeat(700) }))),
    status: 413,
    type: 'body-too-large',
    says: /inbox/,
  },
  {
    name: 'a zip bomb',
    body: gzipSync(Buffer.alloc(50_000_000, '{}\n')),
    headers: gzipHeader,
    status: 413,
    type: 'too-large',
  },
  {
    name: 'a truncated gzip body',
    body: gzipSync(GOOD).subarray(0, -9),
    headers: gzipHeader,
    status: 400,
    type: 'malformed-encoding',
  },
  {
    name: 'a truncated zstd body',
    body: zstdCompressSync(GOOD).subarray(0, -9),
    headers: zstdHeader,
    status: 400,
    type: 'malformed-encoding',
  },
  {
    name: 'garbage after gzip',
    body: Buffer.concat([gzipSync(GOOD), Buffer.from('garbage')]),
    headers: gzipHeader,
    status: 400,
    type: 'malformed-encoding',
  },
  {
    name: 'garbage after zstd',
    body: Buffer.concat([zstdCompressSync(GOOD), Buffer.from('garbage')]),
    headers: zstdHeader,
    status: 400,
    type: 'malformed-encoding',
  },
  {
    name: 'an empty idempotency key',
    body: GOOD,
    headers: { 'idempotency-key': ' ' },
    status: 400,
    type: 'invalid-parameter',
  },
];

describe('a bad upload is refused as a whole', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startStack({ settings: LIMITS });
  });
  afterAll(() => stack?.stop());

  /** Everything that an accepted batch would leave: rows of any kind, and queues with messages. */
  async function traces(): Promise<string[]> {
    const found: string[] = [];
    const table = TableClient.fromConnectionString(stack.storage, 'batches', { allowInsecureConnection: true });
    for await (const entity of table.listEntities()) found.push(`row ${entity.partitionKey}/${entity.rowKey}`);
    for await (const queue of QueueServiceClient.fromConnectionString(stack.storage).listQueues()) {
      if (queue.name.startsWith('billing-')) found.push(`queue ${queue.name}`);
    }
    return found;
  }

  it.each(CASES)('$name → $status $type', async ({ body, headers, status, type, says, at }) => {
    const response = await post(stack, body, headers);
    const problem = (await response.json()) as { type: string; status: number; detail: string; errors?: object[] };

    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect({ status: response.status, type: problem.type }).toEqual({
      status,
      type: expect.stringMatching(`/${type}$`),
    });
    if (says) expect(problem.detail).toMatch(says);
    if (at) expect(problem.errors).toEqual([expect.objectContaining(at)]);
    expect(await traces()).toEqual([]);
  });

  it('an unknown workload → 404 with the known ones', async () => {
    const response = await stack.api('workloads/nonsense/batches', { method: 'POST', body: GOOD });

    expect(response.status).toBe(404);
    expect(((await response.json()) as { detail: string }).detail).toMatch(/nonsense.*billing/);
  });

  it.each(['no-id', '00000000-0000-7000-8000-000000000000', '%2e%2e%2fsecrets'])('batch id %s → 404', async (id) => {
    expect((await stack.api(`batches/${id}`)).status).toBe(404);
  });

  it('a lane that the workload does not have → 400', async () => {
    expect((await post(stack, GOOD, {}, '?lane=express')).status).toBe(400);
  });

  it('a missing key → 401', async () => {
    const response = await fetch(`${stack.url}/api/workloads/billing/batches`, { method: 'POST', body: GOOD });

    expect(response.status).toBe(401);
  });

  it('a client that disconnects during an upload leaves no batch', async () => {
    const gone = new AbortController();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from(GOOD)),
      pull: () => new Promise(() => setTimeout(() => gone.abort(), 300)),
    });
    const request = stack.api('workloads/billing/batches', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-ndjson' },
      signal: gone.signal,
      duplex: 'half',
    } as RequestInit);

    await expect(request).rejects.toThrow('aborted');
    expect(await traces()).toEqual([]);
  });

  it('items that fail the schema become dead letters and do not fail the batch', async () => {
    const { id } = await submit(stack, `${GOOD}{"id":"bad"}\n"not even an object"\n`);
    const batch = await finished(stack, id);

    expect(batch).toMatchObject({ state: 'completedWithDeadLetters', counts: { accepted: 5, succeeded: 3, dead: 2 } });
    expect(await report(stack, id)).toEqual({ 'acme|EUR': totalsOf(3) });
  });
});
