/** How the SDKs handle the front's faults. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { TableClient } from '@azure/data-tables';
import { BlobServiceClient, type BlockBlobClient } from '@azure/storage-blob';
import { type QueueClient, QueueServiceClient } from '@azure/storage-queue';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalStorage, startStorage } from '../../../src/stack/storage/start-storage.ts';
import { injectFaults, type PlannedFault, type StorageCall } from '../../../src/storage/index.ts';

const MiB = 1024 * 1024;
const NO_REPEAT = { maxTries: 1 };

let folder = '';
let storage: LocalStorage;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-storage-faults-'));
  storage = await startStorage({ folder, logFile: join(folder, 'azurite.log') });
});
afterAll(async () => {
  await storage.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A client of the front with these faults. `met` contains those that were applied. */
async function hurt(...planned: PlannedFault[]): Promise<{ connection: string; met: string[] }> {
  const met: string[] = [];
  const client = await storage.front.addClient({ intercept: injectFaults(planned, ({ kind }) => void met.push(kind)) });
  return { connection: client.connectionString(), met };
}

async function makeQueue(): Promise<QueueClient> {
  const queue = QueueServiceClient.fromConnectionString(storage.direct).getQueueClient(`q-${randomUUID()}`);
  await queue.create();
  return queue;
}

async function makeBlob(content?: Buffer): Promise<BlockBlobClient> {
  const container = BlobServiceClient.fromConnectionString(storage.direct).getContainerClient(`c-${randomUUID()}`);
  await container.create();
  const blob = container.getBlockBlobClient('blob');
  if (content) await blob.uploadData(content);
  return blob;
}

const depthOf = async (queue: QueueClient): Promise<number | undefined> =>
  (await queue.getProperties()).approximateMessagesCount;

const throughQueue = (connection: string, { name }: QueueClient, retryOptions = {}): QueueClient =>
  QueueServiceClient.fromConnectionString(connection, { retryOptions }).getQueueClient(name);

const throughBlob = (connection: string, { containerName, name }: BlockBlobClient, retryOptions = {}) =>
  BlobServiceClient.fromConnectionString(connection, { retryOptions })
    .getContainerClient(containerName)
    .getBlockBlobClient(name);

const isPut = ({ method }: StorageCall): boolean => method === 'PUT' || method === 'POST';

describe('a message', () => {
  it('exists twice after a lost reply, since the SDK retries the put', async () => {
    const queue = await makeQueue();
    const { connection, met } = await hurt({ fault: { kind: 'lostReply' } });
    await throughQueue(connection, queue).sendMessage('text');
    expect(met).toEqual(['lostReply']);
    expect(await depthOf(queue)).toBe(2);
  });

  it.each(['first', 'second'] as const)('exists twice if its call is doubled: %s', async (answer) => {
    const queue = await makeQueue();
    const { connection } = await hurt({ fault: { kind: 'doubled', answer, ms: 0 } });
    await throughQueue(connection, queue, NO_REPEAT).sendMessage('text');
    await expect.poll(() => depthOf(queue)).toBe(2);
  });

  it('is invisible and not received if the answer with it is cut', async () => {
    const queue = await makeQueue();
    await queue.sendMessage('text');
    const { connection } = await hurt({ fault: { kind: 'resetInBody' } });
    await expect(throughQueue(connection, queue, NO_REPEAT).receiveMessages()).rejects.toThrow();
    expect(await depthOf(queue)).toBe(1);
    expect((await queue.peekMessages()).peekedMessageItems).toEqual([]);
  });
});

describe('a refusal', () => {
  const busy = { kind: 'status', status: 503, retryAfterSeconds: 7 } as const;

  it('has a code that the queue and blob SDKs read, and its Retry-After', async () => {
    const queue = await makeQueue();
    const { connection } = await hurt({ fault: busy });
    await expect(throughQueue(connection, queue, NO_REPEAT).sendMessage('text')).rejects.toMatchObject({
      statusCode: 503,
      code: 'ServerBusy',
    });
    const answer = await fetch(await rawUrl(busy));
    expect(answer.headers.get('retry-after')).toBe('7');
  });

  it('has a code that the table SDK reads', async () => {
    const { connection } = await hurt({ fault: { kind: 'status', status: 503 } });
    const options = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };
    const table = TableClient.fromConnectionString(connection, 'none', options);
    await expect(table.getEntity('a', 'b')).rejects.toMatchObject({
      statusCode: 503,
      details: { odataError: { code: 'ServerBusy' } },
    });
  });

  it("of a gateway has no body that the SDK mistakes for the service's", async () => {
    const blob = await makeBlob(Buffer.from('content'));
    const { connection } = await hurt({ fault: { kind: 'status', status: 502 } });
    await expect(throughBlob(connection, blob, NO_REPEAT).download()).rejects.toMatchObject({ statusCode: 502 });
  });
});

/** Creates a client's blob service with the fault at its first call. */
async function rawUrl(fault: PlannedFault['fault']): Promise<string> {
  const client = await storage.front.addClient({ intercept: injectFaults([{ fault }]) });
  return `http://127.0.0.1:${client.ports.blob}/devstoreaccount1?comp=list`;
}

describe('a blob', () => {
  const content = Buffer.alloc(8 * MiB, 'content');
  const isDownload = ({ method }: StorageCall): boolean => method === 'GET';
  const readBuffer = (from: BlockBlobClient): Promise<Buffer> => from.downloadToBuffer();
  const readStream = async (from: BlockBlobClient): Promise<Buffer> =>
    buffer((await from.download()).readableStreamBody ?? Readable.from([]));

  it.each(['downloadToBuffer', 'download'] as const)(
    'is not read if its body is cut, and the read is not retried: %s',
    async (how) => {
      const blob = await makeBlob(content);
      const { connection, met } = await hurt({ fault: { kind: 'resetInBody' }, on: isDownload });
      const reading = { downloadToBuffer: readBuffer, download: readStream }[how](throughBlob(connection, blob));
      await expect(reading).rejects.toThrow(/abort/i);
      expect(met).toEqual(['resetInBody']);
    },
  );

  it('does not exist if its upload is cut in the middle of the body', async () => {
    const blob = await makeBlob();
    const { connection, met } = await hurt({ fault: { kind: 'resetInRequest' } });
    await expect(throughBlob(connection, blob, NO_REPEAT).upload(content, content.length)).rejects.toThrow();
    expect(met).toEqual(['resetInRequest']);
    expect(await blob.exists()).toBe(false);
  });

  it('exists after a cut upload that the SDK retries', async () => {
    const blob = await makeBlob();
    const { connection, met } = await hurt({ fault: { kind: 'resetInRequest' }, on: isPut });
    await throughBlob(connection, blob).upload(content, content.length);
    expect(met).toEqual(['resetInRequest']);
    expect((await blob.getProperties()).contentLength).toBe(content.length);
  });

  it('is not written by a frozen call that the client cancels', async () => {
    const blob = await makeBlob();
    const { connection } = await hurt({ fault: { kind: 'frozen' } });
    const abortSignal = AbortSignal.timeout(200);
    await expect(throughBlob(connection, blob).upload('text', 4, { abortSignal })).rejects.toThrow(/abort/i);
    expect(await blob.exists()).toBe(false);
  });
});
