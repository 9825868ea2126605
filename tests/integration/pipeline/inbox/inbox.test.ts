import { gzipSync } from 'node:zlib';
import { BlobServiceClient, type ContainerClient } from '@azure/storage-blob';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BatchAnswer, finished } from '../../../helpers/client.ts';
import { csv, ndjson, transactions } from '../../../helpers/data/transactions.ts';
import { startStack, type TestStack } from '../../../helpers/stack.ts';

describe('the inbox', () => {
  let stack: TestStack;
  let container: (name: string) => ContainerClient;
  beforeAll(async () => {
    stack = await startStack({ settings: { SLUICE_INBOX_SCHEDULE: '* * * * * *' } });
    const blobs = BlobServiceClient.fromConnectionString(stack.storage);
    container = (name) => blobs.getContainerClient(name);
  });
  afterAll(() => stack?.stop());

  const drop = (name: string, content: string | Buffer, metadata: Record<string, string> = {}) =>
    container('inbox').getBlockBlobClient(name).upload(content, Buffer.byteLength(content), { metadata });
  const moved = (to: string, name: string) => expect.poll(() => container(to).getBlobClient(name).exists()).toBe(true);
  const batchOf = async (name: string): Promise<BatchAnswer> => {
    const { metadata } = await container('inbox-done').getBlobClient(name).getProperties();
    return finished(stack, metadata?.batch ?? '');
  };

  it.each([
    ['billing/plain.ndjson', ndjson(transactions(3)), 'normal'],
    ['billing/high/urgent.csv', csv(transactions(3)), 'high'],
    ['billing/packed.ndjson.gz', gzipSync(ndjson(transactions(3))), 'normal'],
  ])('%s becomes a batch and moves to inbox-done', async (name, content, lane) => {
    await drop(name, content);

    await moved('inbox-done', name);

    expect(await batchOf(name)).toMatchObject({
      lane,
      source: { kind: 'inbox', name },
      counts: { accepted: 3, succeeded: 3 },
    });
    // The copy comes first, and the deletion after it.
    await expect.poll(() => container('inbox').getBlobClient(name).exists()).toBe(false);
  });

  it.each([
    ['billing/broken.ndjson', '{"id":', /malformed-record/],
    ['unknown/file.ndjson', '{}', /unknown workload|known workload/],
    ['billing/express/file.ndjson', '{}', /express/],
    ['billing/file.txt', '{}', /\.ndjson/],
  ])('%s moves to inbox-rejected with the reason beside it', async (name, content, reason) => {
    await drop(name, content);

    await moved('inbox-rejected', name);

    const beside = await container('inbox-rejected').getBlobClient(`${name}.reason.json`).downloadToBuffer();
    expect(beside.toString()).toMatch(reason);
    // The copy comes first, and the deletion after it.
    await expect.poll(() => container('inbox').getBlobClient(name).exists()).toBe(false);
  });

  it('two files with one idempotency key become one batch', async () => {
    await drop('billing/first.ndjson', ndjson(transactions(2)), { idempotencykey: 'same' });
    await moved('inbox-done', 'billing/first.ndjson');

    await drop('billing/second.ndjson', ndjson(transactions(2)), { idempotencykey: 'same' });
    await moved('inbox-done', 'billing/second.ndjson');

    expect((await batchOf('billing/second.ndjson')).id).toBe((await batchOf('billing/first.ndjson')).id);
  });
});
