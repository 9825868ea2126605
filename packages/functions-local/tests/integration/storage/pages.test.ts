import type { TableClient } from '@azure/data-tables';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FULL_PAGES } from '../../../src/storage/index.ts';
import { type Fixture, startFixture } from './fixture.ts';
import { callRaw } from './raw.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

describe('queries', () => {
  const PARTITIONS = ['p0', 'p1', 'p2', 'p3'];
  const ROWS = 500;

  beforeAll(async () => {
    const table = await fixture.direct.table('rows');
    for (const partitionKey of PARTITIONS) {
      for (let at = 0; at < ROWS; at += 100) {
        const some = Array.from({ length: 100 }, (_, next) => `r${String(at + next).padStart(4, '0')}`);
        await table.submitTransaction(some.map((rowKey) => ['create', { partitionKey, rowKey, n: 5, d: 0.5 }]));
      }
    }
  });

  /** The sizes of the pages, and all keys in order. */
  async function read(table: TableClient, options: { filter?: string; select?: string[] } = {}) {
    const sizes: number[] = [];
    const entities: object[] = [];
    for await (const page of table.listEntities({ queryOptions: options }).byPage()) {
      sizes.push(page.length);
      entities.push(...page);
    }
    return { sizes, entities };
  }
  const keysOf = (entities: object[]): string[] =>
    entities.map((entity) => {
      const { partitionKey, rowKey } = entity as Record<string, string>;
      return `${partitionKey} ${rowKey}`;
    });
  const ALL = PARTITIONS.flatMap((partition) =>
    Array.from({ length: ROWS }, (_, at) => `${partition} r${String(at).padStart(4, '0')}`),
  );

  test('a page ends at a partition boundary, without lost or duplicate entities', async () => {
    const table = await (await fixture.add({ pages: { ...FULL_PAGES, endAtPartition: true } })).table('rows');
    const { sizes, entities } = await read(table);
    expect(keysOf(entities)).toEqual(ALL);
    expect(sizes).toEqual([500, 500, 500, 500]);
  });

  test('keys that were not selected are not in the answer', async () => {
    const table = await (await fixture.add({ pages: { ...FULL_PAGES, endAtPartition: true } })).table('rows');
    const { sizes, entities } = await read(table, { select: ['n', 'd'] });
    expect(sizes).toEqual([500, 500, 500, 500]);
    for (const entity of entities) expect(entity).toEqual({ etag: expect.any(String), n: 5, d: 0.5 });
  });

  test('shorter pages', async () => {
    const table = await (await fixture.add({ pages: { ...FULL_PAGES, entities: 300 } })).table('rows');
    const { sizes, entities } = await read(table, { filter: "PartitionKey ge 'p2'" });
    expect(keysOf(entities)).toEqual(ALL.slice(2 * ROWS));
    expect(sizes).toEqual([300, 300, 300, 100]);
  });

  test('a query begins with an empty page that has a token', async () => {
    const table = await (await fixture.add({ pages: { ...FULL_PAGES, emptyEvery: 2 } })).table('rows');
    const filter = "PartitionKey eq 'p1'";
    expect((await read(table, { filter })).sizes).toEqual([500]);
    const { sizes, entities } = await read(table, { filter });
    expect(sizes).toEqual([0, 500]);
    expect(keysOf(entities)).toEqual(ALL.slice(ROWS, 2 * ROWS));
  });

  test('a query of a partition whose name equals a token ends', async () => {
    const table = await (await fixture.add({ pages: { ...FULL_PAGES, entities: 1, emptyEvery: 1 } })).table('tokens');
    for (const partitionKey of ['a', 'front', 'z']) await table.createEntity({ partitionKey, rowKey: 'r' });
    const { sizes, entities } = await read(table);
    expect(keysOf(entities)).toEqual(['a r', 'front r', 'z r']);
    expect(sizes).toEqual([0, 1, 1, 1]);
  });

  test("an empty page contains everything of the service's answer except for its entities", async () => {
    const { ports } = await fixture.add({ pages: { ...FULL_PAGES, emptyEvery: 1 } });
    const headers = { accept: 'application/json;odata=nometadata' };
    const answer = await callRaw(ports, { service: 'table', method: 'GET', path: 'rows()', headers });
    expect(answer).toMatchObject({ status: 200, text: '{"value":[]}' });
    expect(answer.headers.get('x-ms-continuation-nextpartitionkey')).toMatch(/./);
    expect(answer.headers.get('x-ms-continuation-nextrowkey')).toBeNull();
  });

  test('an empty page does not hide a missing table or an invalid signature', async () => {
    const { ports } = await fixture.add({ pages: { ...FULL_PAGES, emptyEvery: 1 } });
    const accept = 'application/json;odata=nometadata';
    const ask = (path: string, headers = {}) =>
      callRaw(ports, { service: 'table', method: 'GET', path, headers: { accept, ...headers } });
    expect(await ask('absent()')).toMatchObject({ status: 404, code: 'TableNotFound' });
    const authorization = 'SharedKeyLite devstoreaccount1:d3Jvbmc=';
    expect(await ask('rows()', { authorization })).toMatchObject({ status: 403 });
  });

  test('by default, every fifth query begins with an empty page, and pages end at partitions', async () => {
    const table = await (await fixture.add()).table('rows');
    const pages: number[][] = [];
    for (let at = 0; at < 5; at += 1) {
      const { sizes, entities } = await read(table);
      expect(keysOf(entities)).toEqual(ALL);
      pages.push(sizes);
    }
    expect(pages[3]).toEqual([500, 500, 500, 500]);
    expect(pages[4]).toEqual([0, 500, 500, 500, 500]);
  });
});

describe('listings of blobs', () => {
  const NAMES = Array.from({ length: 25 }, (_, at) => `a b/${String(at).padStart(2, '0')} \u20AC&+`);

  beforeAll(async () => {
    const files = await fixture.direct.container('files');
    await Promise.all(NAMES.map((name) => files.getBlockBlobClient(name).upload('x', 1)));
  });

  test('shorter pages get a new signature, and the token of an empty page is accepted', async () => {
    const client = await fixture.add({ pages: { ...FULL_PAGES, blobs: 10, emptyEvery: 1 } });
    const files = await client.container('files');
    const sizes: number[] = [];
    const names: string[] = [];
    for await (const { segment } of files.listBlobsFlat({ prefix: 'a b/', includeMetadata: true }).byPage()) {
      sizes.push(segment.blobItems.length);
      names.push(...segment.blobItems.map(({ name }) => name));
    }
    expect(names).toEqual(NAMES);
    expect(sizes).toEqual([0, 10, 10, 5]);
  });

  test('an empty page does not hide a missing container or an invalid signature', async () => {
    const { ports } = await fixture.add({ pages: { ...FULL_PAGES, emptyEvery: 1 } });
    const list = { service: 'blob', method: 'GET' } as const;
    const path = 'files?restype=container&comp=list';
    expect(await callRaw(ports, { ...list, path: path.replace('files', 'absent') })).toMatchObject({ status: 404 });
    const headers = { authorization: 'SharedKey devstoreaccount1:d3Jvbmc=' };
    expect(await callRaw(ports, { ...list, path, headers })).toMatchObject({ status: 403 });
  });

  test('a call with an invalid signature gets no valid one', async () => {
    const client = await fixture.add({ pages: { ...FULL_PAGES, blobs: 10 } });
    const path = 'files?restype=container&comp=list';
    expect(await callRaw(client.ports, { service: 'blob', method: 'GET', path })).toMatchObject({ status: 200 });
    const headers = { authorization: 'SharedKey devstoreaccount1:d3Jvbmc=' };
    const answer = await callRaw(client.ports, { service: 'blob', method: 'GET', path, headers });
    expect(answer).toMatchObject({ status: 403 });
  });
});
