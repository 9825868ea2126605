/** Rules that Azurite itself enforces. README.md of the storage front lists them; the front does not implement them. */
import type { TableClient } from '@azure/data-tables';
import type { BlockBlobClient, ContainerClient } from '@azure/storage-blob';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, refusalOf, startFixture } from './fixture.ts';

let fixture: Fixture;
let files: ContainerClient;
let rows: TableClient;
beforeAll(async () => {
  fixture = await startFixture();
  const client = await fixture.add();
  files = await client.container('files');
  rows = await client.table('rows');
});
afterAll(() => fixture.stop());

type Refusal = [code: string, status: number];

let blobs = 0;
/** A new blob with content. */
async function put(): Promise<BlockBlobClient> {
  const blob = files.getBlockBlobClient(`blob-${blobs++}`);
  await blob.upload('content', 7);
  return blob;
}

test.each<[title: string, refusal: Refusal, act: (blob: BlockBlobClient) => Promise<unknown>]>([
  ['create-only', ['BlobAlreadyExists', 409], (blob) => blob.upload('x', 1, { conditions: { ifNoneMatch: '*' } })],
  ['another ETag', ['ConditionNotMet', 412], (blob) => blob.delete({ conditions: { ifMatch: '"0x1"' } })],
  [
    'a delete of a blob with a snapshot',
    ['SnapshotsPresent', 409],
    async (blob) => {
      await blob.createSnapshot();
      await blob.delete();
    },
  ],
  [
    'a delete of a leased blob',
    ['LeaseIdMissing', 412],
    async (blob) => {
      await blob.getBlobLeaseClient().acquireLease(15);
      await blob.delete();
    },
  ],
  [
    'a read of an archived blob',
    ['BlobArchived', 409],
    async (blob) => {
      await blob.setAccessTier('Archive');
      await blob.download();
    },
  ],
  [
    'eleven tags',
    ['TagsTooLarge', 400],
    (blob) => blob.setTags(Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`t${at}`, 'x']))),
  ],
])('a blob: %s', async (_title, [code, status], act) => {
  expect(await refusalOf(put().then(act))).toMatchObject({ status, code });
});

let entities = 0;
/** The keys of a new entity. */
async function insert() {
  const keys = { partitionKey: 'p', rowKey: `r${entities++}` };
  await rows.createEntity(keys);
  return keys;
}
type Keys = Awaited<ReturnType<typeof insert>>;
const etag = 'W/"datetime\'2026-01-01T00%3A00%3A00.0000000Z\'"';

test.each<[title: string, refusal: Refusal, act: (keys: Keys) => Promise<unknown>]>([
  ['an insert of keys that exist', ['EntityAlreadyExists', 409], (keys) => rows.createEntity(keys)],
  ['an insert without a row key', ['PropertiesNeedValue', 400], () => rows.createEntity({ partitionKey: 'p' } as Keys)],
  [
    'a replacement with another ETag',
    ['UpdateConditionNotSatisfied', 412],
    (keys) => rows.updateEntity(keys, 'Replace', { etag }),
  ],
  [
    'a merge with another ETag',
    ['UpdateConditionNotSatisfied', 412],
    (keys) => rows.updateEntity(keys, 'Merge', { etag }),
  ],
  [
    'a delete with another ETag',
    ['UpdateConditionNotSatisfied', 412],
    ({ partitionKey, rowKey }) => rows.deleteEntity(partitionKey, rowKey, { etag }),
  ],
])('an entity: %s', async (_title, [code, status], act) => {
  expect(await refusalOf(insert().then(act))).toMatchObject({ status, code });
});
