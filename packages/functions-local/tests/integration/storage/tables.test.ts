import type { TableClient } from '@azure/data-tables';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Fixture, refusalOf, type SdkClient, startFixture } from './fixture.ts';
import { callRaw, type RawCall } from './raw.ts';

let fixture: Fixture;
let client: SdkClient;
let table: TableClient;
beforeAll(async () => {
  fixture = await startFixture();
  client = await fixture.add();
  table = await client.table('rows');
});
afterAll(() => fixture.stop());

const create = (rowKey: string, properties: object = {}, partitionKey = 'p'): Promise<unknown> =>
  table.createEntity({ partitionKey, rowKey, ...properties });

describe('an entity', () => {
  test('is read as it was written, including types', async () => {
    const properties = {
      a: 2_147_483_647,
      b: 2n ** 40n,
      c: 1.5,
      d: new Date('2026-01-02T03:04:05Z'),
      e: 'x',
      f: false,
    };
    const typed = { g: { type: 'Double', value: '3000000000' } };
    await create('types', { ...properties, ...typed });
    expect(await table.getEntity('p', 'types')).toMatchObject({ ...properties, g: 3_000_000_000 });
  });

  test.each([
    ['a number beyond Int32 without a type', { a: 2 ** 31 }, 'InvalidInput'],
    ['a date before 1601', { a: new Date('1600-01-01T00:00:00Z') }, 'OutOfRangeInput'],
    ['an Int64 out of range', { a: { type: 'Int64', value: '9223372036854775808' } }, 'InvalidInput'],
    ['a property name with a hyphen', { 'a-b': 1 }, 'PropertyNameInvalid'],
    ['a property name of 256 units', { ['a'.repeat(256)]: 1 }, 'PropertyNameTooLong'],
    ['text of 32,001 units', { a: 'x'.repeat(32_001) }, 'PropertyValueTooLarge'],
    ['253 properties', Object.fromEntries(Array.from({ length: 253 }, (_, at) => [`p${at}`, at])), 'TooManyProperties'],
    [
      'more than 1 MiB',
      Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`p${at}`, 'x'.repeat(32_000)])),
      'EntityTooLarge',
    ],
  ])('is refused with %s', async (_title, properties, code) => {
    expect(await refusalOf(create('refused', properties))).toMatchObject({ status: 400, code });
    expect(await refusalOf(table.getEntity('p', 'refused'))).toMatchObject({ status: 404 });
  });

  test.each([
    ['a/b', 'OutOfRangeInput'],
    ['a?b', 'OutOfRangeInput'],
    ['a\u0080b', 'OutOfRangeInput'],
    ['x'.repeat(513), 'KeyValueTooLarge'],
  ])('is refused with the key %j', async (rowKey, code) => {
    expect(await refusalOf(create(rowKey))).toMatchObject({ status: 400, code });
  });

  test('a body beyond 4 MiB', async () => {
    expect(await refusalOf(create('large', { a: 'x'.repeat(4 * 1024 * 1024) }))).toMatchObject({
      status: 413,
      code: 'RequestBodyTooLarge',
    });
  });

  test('is not deleted without If-Match', async () => {
    await create('kept');
    const call: RawCall = { service: 'table', method: 'DELETE', path: "rows(PartitionKey='p',RowKey='kept')" };
    const headers = { accept: 'application/json;odata=minimalmetadata' };
    const answer = await callRaw(client.ports, { ...call, headers });
    expect(answer).toMatchObject({ status: 400, rule: 'delete-if-match' });
    expect(JSON.parse(answer.text)).toMatchObject({ 'odata.error': { code: 'MissingRequiredHeader' } });
    expect(await callRaw(client.ports, { ...call, headers: { ...headers, 'if-match': '*' } })).toMatchObject({
      status: 204,
    });
  });
});

describe('a transaction', () => {
  const insert = (rowKey: string, properties: object = {}) =>
    ['create', { partitionKey: 't', rowKey, ...properties }] as const;

  test('of 100 changes is applied', async () => {
    const changes = Array.from({ length: 100 }, (_, at) => insert(`row${at}`));
    expect((await table.submitTransaction(changes.map(([kind, entity]) => [kind, entity]))).subResponses).toHaveLength(
      100,
    );
  });

  test('is refused completely, and the invalid change is reported by its index', async () => {
    const call = table.submitTransaction([[...insert('good')], [...insert('bad', { a: 2 ** 31 })]]);
    expect(await refusalOf(call)).toMatchObject({
      status: 400,
      code: 'InvalidInput',
      text: expect.stringMatching(/^1:/),
    });
    expect(await refusalOf(table.getEntity('t', 'good'))).toMatchObject({ status: 404 });
  });

  test('keeps line separators, which only Azurite cannot parse', async () => {
    await table.submitTransaction([[...insert('separators', { text: 'a\u2028b\u2029c' })]]);
    expect(await table.getEntity('t', 'separators')).toMatchObject({ text: 'a\u2028b\u2029c' });
  });

  test('of 101 changes is refused', async () => {
    const changes = Array.from({ length: 101 }, (_, at) => insert(`more${at}`));
    const refusal = await refusalOf(table.submitTransaction(changes.map(([kind, entity]) => [kind, entity])));
    expect(refusal).toMatchObject({ status: 400, code: 'InvalidInput', text: expect.stringMatching(/^0:/) });
  });

  test('with one entity twice is refused', async () => {
    const call = table.submitTransaction([[...insert('same')], ['delete', { partitionKey: 't', rowKey: 'same' }]]);
    expect(await refusalOf(call)).toMatchObject({ status: 400, code: 'InvalidDuplicateRow' });
  });

  test('with two partitions is refused inside a 202', async () => {
    const answer = await callRaw(client.ports, transactionOf(['p', 'q']));
    expect(answer).toMatchObject({ status: 202, rule: 'transaction-partition' });
    expect(answer.text).toContain('HTTP/1.1 400 Bad Request');
    expect(answer.text).toContain('"CommandsInBatchActOnDifferentPartitions"');
    expect(await callRaw(client.ports, transactionOf(['p', 'p']))).toMatchObject({ status: 202, rule: null });
  });
});

function transactionOf(partitions: string[]): RawCall {
  const changes = partitions.map((partition, at) =>
    [
      '--changeset_1',
      'Content-Type: application/http',
      'Content-Transfer-Encoding: binary',
      '',
      `POST http://127.0.0.1:${client.ports.table}/devstoreaccount1/rows HTTP/1.1`,
      'Content-Type: application/json',
      'Accept: application/json;odata=minimalmetadata',
      '',
      JSON.stringify({ PartitionKey: partition, RowKey: `raw${at}` }),
      '',
    ].join('\r\n'),
  );
  const start = '--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n';
  const body = `${start}${changes.join('')}--changeset_1--\r\n--batch_1--\r\n`;
  const headers = {
    'content-type': 'multipart/mixed; boundary=batch_1',
    accept: 'application/json;odata=minimalmetadata',
  };
  return { service: 'table', method: 'POST', path: '$batch', headers, body };
}

test.each([[Array.from({ length: 16 }, (_, at) => `a eq ${at}`).join(' or ')], ['a gt 2147483648']])(
  'a query is refused: %s',
  async (filter) => {
    const all = async (): Promise<void> => {
      for await (const _ of table.listEntities({ queryOptions: { filter } })) expect.fail();
    };
    expect(await refusalOf(all())).toMatchObject({ status: 400, code: 'InvalidInput' });
  },
);

test('names of tables, and the name of one that is being deleted', async () => {
  expect(await refusalOf(client.table('1abc'))).toMatchObject({ status: 400, code: 'InvalidResourceName' });
  const gone = await client.table('goneSoon');
  await gone.deleteTable();
  const again = await callRaw(client.ports, {
    ...{ service: 'table', method: 'POST', path: 'Tables', body: '{"TableName":"gonesoon"}' },
    headers: { 'content-type': 'application/json', accept: 'application/json;odata=minimalmetadata' },
  });
  expect(again).toMatchObject({ status: 409, code: 'TableBeingDeleted' });
});
