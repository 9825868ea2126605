import { randomBytes } from 'node:crypto';
import type { ContainerClient } from '@azure/storage-blob';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Fixture, refusalOf, type SdkClient, startFixture } from './fixture.ts';
import { callRaw } from './raw.ts';

let fixture: Fixture;
let client: SdkClient;
let files: ContainerClient;
beforeAll(async () => {
  fixture = await startFixture();
  client = await fixture.add();
  files = await client.container('files');
});
afterAll(() => fixture.stop());

const idOf = (text: string): string => Buffer.from(text).toString('base64');
const put = (name: string, text = 'content'): Promise<unknown> =>
  files.getBlockBlobClient(name).upload(text, text.length);

describe('blocks', () => {
  test('a blob of 4 MiB blocks streams through in both directions', async () => {
    const blob = files.getBlockBlobClient('large');
    const content = randomBytes(9 * 1024 * 1024);
    await blob.uploadData(content, { blockSize: 4 * 1024 * 1024, maxSingleShotSize: 1024 });
    expect((await blob.downloadToBuffer()).equals(content)).toBe(true);
    expect((await blob.downloadToBuffer(5_000_000, 10)).equals(content.subarray(5_000_000, 5_000_010))).toBe(true);
  });

  test('ids of two lengths are refused', async () => {
    const blob = files.getBlockBlobClient('lengths');
    await blob.stageBlock(idOf('one'), 'x', 1);
    expect(await refusalOf(blob.stageBlock(idOf('three'), 'x', 1))).toMatchObject({
      status: 400,
      code: 'InvalidBlobOrBlock',
    });
    await blob.commitBlockList([idOf('one')]);
  });

  test('an id of 65 bytes is refused', async () => {
    const refusal = await refusalOf(files.getBlockBlobClient('id').stageBlock(idOf('x'.repeat(65)), 'x', 1));
    expect(refusal).toMatchObject({ status: 400, code: 'InvalidQueryParameterValue' });
  });

  test('a list of 50,001 blocks is refused', async () => {
    const ids = Array.from({ length: 50_001 }, (_, at) => idOf(String(at).padStart(5, '0')));
    const refusal = await refusalOf(files.getBlockBlobClient('many').commitBlockList(ids));
    expect(refusal).toMatchObject({ status: 409, code: 'BlockCountExceedsLimit' });
  });

  test('a list of more than 16 MiB is refused while it is read', async () => {
    const body = Buffer.alloc(16 * 1024 * 1024 + 1, ' ');
    const answer = await callRaw(client.ports, { service: 'blob', path: 'files/list?comp=blocklist', body });
    expect(answer).toMatchObject({ status: 413, code: 'RequestBodyTooLarge', rule: 'block-list-size' });
  });

  test('uncommitted blocks are dropped by Put Blob', async () => {
    const blob = files.getBlockBlobClient('dropped');
    await blob.stageBlock(idOf('one'), 'x', 1);
    await put('dropped');
    expect(await refusalOf(blob.commitBlockList([idOf('one')]))).toMatchObject({
      status: 400,
      code: 'InvalidBlockList',
    });
    expect((await blob.downloadToBuffer()).toString()).toBe('content');
  });
});

describe('names and metadata', () => {
  test('a name of 1,024 characters is accepted, one more is refused', async () => {
    await put('x'.repeat(1_024));
    expect(await refusalOf(put('x'.repeat(1_025)))).toMatchObject({ status: 400, code: 'OutOfRangeInput' });
  });

  test('255 segments are refused', async () => {
    expect(await refusalOf(put(Array.from({ length: 255 }, () => 'a').join('/')))).toMatchObject({ status: 400 });
  });

  test('8 KiB of metadata is accepted, one byte more is refused', async () => {
    await put('metadata');
    const blob = files.getBlobClient('metadata');
    await blob.setMetadata({ a: 'x'.repeat(8_191) });
    expect((await blob.getProperties()).metadata).toEqual({ a: 'x'.repeat(8_191) });
    expect(await refusalOf(blob.setMetadata({ a: 'x'.repeat(8_192) }))).toMatchObject({
      status: 400,
      code: 'MetadataTooLarge',
    });
    expect(await refusalOf(blob.setMetadata({ 'a-b': 'x' }))).toMatchObject({ status: 400, code: 'InvalidMetadata' });
  });

  test('metadata that is not ASCII is refused', async () => {
    const headers = { 'x-ms-blob-type': 'BlockBlob', 'x-ms-meta-a': '\u00e9' };
    const answer = await callRaw(client.ports, { service: 'blob', path: 'files/ascii', headers, body: 'x' });
    expect(answer).toMatchObject({ status: 400, code: 'InvalidMetadata', rule: 'blob-metadata-names' });
  });

  test('the name of a container that is being deleted', async () => {
    const gone = await client.container('gone-soon');
    await gone.delete();
    expect(await refusalOf(gone.create())).toMatchObject({ status: 409, code: 'ContainerBeingDeleted' });
  });
});

test('If-None-Match: * on Delete and Set Metadata of an existing blob', async () => {
  await put('there');
  const conditions = { ifNoneMatch: '*' };
  const notMet = { status: 412, code: 'ConditionNotMet' };
  expect(await refusalOf(files.getBlobClient('there').delete({ conditions }))).toMatchObject(notMet);
  expect(await refusalOf(files.getBlobClient('there').setMetadata({ a: 'x' }, { conditions }))).toMatchObject(notMet);
  expect(await refusalOf(files.getBlobClient('absent').delete({ conditions }))).toMatchObject({ status: 404 });
});

test('a range that starts at the end is refused, with the length', async () => {
  await put('ranges', '0123456789');
  const ranged = (range: string) =>
    callRaw(client.ports, { service: 'blob', method: 'GET', path: 'files/ranges', headers: { range } });
  expect(await ranged('bytes=9-20')).toMatchObject({ status: 206, text: '9' });
  for (const range of ['bytes=10-20', 'bytes=11-20']) {
    const answer = await ranged(range);
    expect(answer).toMatchObject({ status: 416, code: 'InvalidRange' });
    expect(answer.headers.get('content-range')).toBe('bytes */10');
  }
});
