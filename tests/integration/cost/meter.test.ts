import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectionString } from 'functions-local';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPEN_BATCH } from '../../../shared/batches/listing/open-rows.ts';
import { createMeter } from '../../../shared/cost/meter.ts';
import { readSettings } from '../../../shared/settings.ts';
import { createClients } from '../../../shared/storage/clients.ts';
import { toEntity } from '../../../shared/storage/entity.ts';
import { RETRY_LIMITS } from '../../../shared/storage/policies/retry-limits.ts';
import { connectionsTo } from '../../helpers/fakes/connections.ts';

// A stand-in for the storage services: this tests only the SDKs' pipelines, and Azurite cannot fail on demand.
const SERVICE_DATE = 'Tue, 03 Mar 2026 10:00:00 GMT';
const MESSAGES =
  '<?xml version="1.0"?><QueueMessagesList><QueueMessage><MessageId>1</MessageId>' +
  `<InsertionTime>${SERVICE_DATE}</InsertionTime><ExpirationTime>${SERVICE_DATE}</ExpirationTime>` +
  `<PopReceipt>r</PopReceipt><TimeNextVisible>${SERVICE_DATE}</TimeNextVisible></QueueMessage></QueueMessagesList>`;
const TRANSACTION_ANSWER = [
  '--b',
  'Content-Type: multipart/mixed; boundary=c',
  '',
  ...['--c', 'Content-Type: application/http', '', 'HTTP/1.1 204 No Content', 'ETag: e', ''],
  ...['--c', 'Content-Type: application/http', '', 'HTTP/1.1 204 No Content', 'ETag: e', ''],
  '--c--',
  '--b--',
].join('\r\n');

let server: Server;
let port: number;
let failuresLeft = 0;

function answer(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Date', SERVICE_DATE);
  if (failuresLeft > 0) {
    failuresLeft -= 1;
    response.writeHead(503).end();
  } else if (request.url?.includes('/messages')) {
    response.writeHead(201, { 'Content-Type': 'application/xml' }).end(MESSAGES);
  } else if (request.url?.includes('$batch')) {
    response.writeHead(202, { 'Content-Type': 'multipart/mixed; boundary=b' }).end(TRANSACTION_ANSWER);
  } else {
    const body = request.method === 'GET' ? 'content' : '';
    response.writeHead(body === '' ? 201 : 200, { 'Content-Length': body.length, ETag: '"e"' }).end(body);
  }
}

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on('end', () => answer(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

const LIMITS = { ...RETRY_LIMITS, tries: 3, firstDelayMs: 1, longestDelayMs: 2 };

function clients() {
  const meter = createMeter();
  const settings = readSettings(connectionsTo(connectionString({ blob: port, queue: port, table: port })));
  return createClients(settings, meter, LIMITS);
}

const row = (rowKey: string) => toEntity(OPEN_BATCH, { partitionKey: 'p', rowKey }, { workload: 'w' });

describe('the meter in the pipelines of the SDKs', () => {
  it('counts blob requests of all clients that share a pipeline', async () => {
    const { meter, container: open } = clients();
    const container = open('payloads');
    const blob = container.getBlockBlobClient('a/b.zst');

    await container.create();
    await blob.stageBlock('AAAA', 'x', 1);
    await blob.commitBlockList(['AAAA']);
    const content = await blob.downloadToBuffer(0, 7);

    expect(content.toString()).toBe('content');
    expect(meter.total()).toEqual({ 'blob.create': 1, 'blob.stage': 1, 'blob.commit': 1, 'blob.get': 1 });
  });

  it.each([
    ['blob.put', (c: ReturnType<typeof clients>) => c.container('c').getBlockBlobClient('b').upload('x', 1)],
    ['queue.put', (c: ReturnType<typeof clients>) => c.queue('q').sendMessage('x')],
    ['table.insert', (c: ReturnType<typeof clients>) => c.batches.createEntity(row('r'))],
  ])('counts each try of %s', async (operation, act) => {
    const all = clients();
    failuresLeft = 2;

    await act(all);

    expect(all.meter.total()).toEqual({ [operation]: 3, 'throttled.responses': 2 });
  });

  it('counts a table transaction once, whatever its content', async () => {
    const { meter, batches } = clients();

    await batches.submitTransaction([
      ['create', row('1')],
      ['create', row('2')],
    ]);

    expect(meter.total()).toEqual({ 'table.transaction': 1 });
  });

  it('reads the time of the service', async () => {
    const { meter, queue } = clients();

    await queue('q').sendMessage('x');

    const lagMs = meter.serviceNowMs() - Date.parse(SERVICE_DATE);
    expect(lagMs).toBeGreaterThanOrEqual(0);
    expect(lagMs).toBeLessThan(10_000);
  });
});
