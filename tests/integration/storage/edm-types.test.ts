import { TableClient } from '@azure/data-tables';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BATCH, fromBatchEntity } from '../../../shared/batches/batch-row.ts';
import type { Entity } from '../../../shared/storage/entity.ts';
import type { ColumnType } from '../../../shared/storage/row.ts';
import { fullEntity, fullValues, ROWS } from '../../helpers/data/full-rows.ts';
import { type AccountStorage, openAccount } from '../../helpers/own-account.ts';

const EDM: Record<ColumnType, string> = {
  string: 'Edm.String',
  json: 'Edm.String',
  boolean: 'Edm.Boolean',
  int32: 'Edm.Int32',
  int64: 'Edm.Int64',
  double: 'Edm.Double',
};

let storage: AccountStorage;
let table: TableClient;
/** The body of the last response, as the service wrote it. */
let body = '';

beforeAll(async () => {
  storage = await openAccount();
  table = TableClient.fromConnectionString(storage.connection, 'types', { allowInsecureConnection: true });
  await table.createTable();
  table.pipeline.addPolicy({
    name: 'allTypes',
    sendRequest: async (request, next) => {
      if (request.method === 'GET') request.headers.set('accept', 'application/json;odata=fullmetadata');
      const response = await next(request);
      body = response.bodyAsText ?? '';
      return response;
    },
  });
});
afterAll(() => storage.stop());

/** The types with which the service stores a row. Types that JSON distinguishes, 5 and 5.0, have no annotation. */
async function storedTypes({ partitionKey, rowKey }: { partitionKey: string; rowKey: string }) {
  await table.getEntity(partitionKey, rowKey);
  const stored = JSON.parse(body) as Record<string, unknown>;
  const literalOf = (name: string): string => body.split(`,"${name}":`)[1] ?? '';
  const typeOf = (name: string): unknown => {
    if (typeof stored[name] === 'number') return /^-?\d+[.eE]/.test(literalOf(name)) ? 'Edm.Double' : 'Edm.Int32';
    return typeof stored[name] === 'boolean' ? 'Edm.Boolean' : 'Edm.String';
  };
  const names = Object.keys(stored).filter((name) => !/^(odata|PartitionKey|RowKey|Timestamp)|@/.test(name));
  return Object.fromEntries(names.map((name) => [name, stored[`${name}@odata.type`] ?? typeOf(name)]));
}

test.each(ROWS)('the columns of a $name row are stored with their types, for small and large values', async (row) => {
  const expected = Object.fromEntries(Object.entries(row.columns).map(([name, { type }]) => [name, EDM[type]]));
  for (const [n, x] of [
    [5, 0.5],
    [2 ** 31, 5],
    [Number.MAX_SAFE_INTEGER, 0],
  ] as const) {
    const entity = fullEntity(row, n, x);
    await table.upsertEntity(entity, 'Replace');

    expect(await storedTypes(entity)).toEqual(expected);
  }
});

test('a row of large numbers is read as it was written', async () => {
  const batch = fullEntity(BATCH, Number.MAX_SAFE_INTEGER, 5);
  await table.upsertEntity(batch, 'Replace');

  const entity = (await table.getEntity(batch.partitionKey, batch.rowKey)) as Entity;

  expect(fromBatchEntity(entity).row).toEqual({ ...fullValues(BATCH, Number.MAX_SAFE_INTEGER, 5), id: 'p' });
});
