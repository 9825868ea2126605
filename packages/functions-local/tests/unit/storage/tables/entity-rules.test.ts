import { describe, expect, test } from 'vitest';
import { entityBytes, parseEntity } from '../../../../src/storage/tables/entity.ts';
import { ENTITY_RULES } from '../../../../src/storage/tables/entity-rules.ts';
import { type Given, refusedBy, requestOf } from '../requests.ts';

const KEYS = { PartitionKey: 'p', RowKey: 'r' };
const insert = (body: string | object): Given => ({ method: 'POST', path: 'rows', body });
const refused = (given: Given): string | undefined => refusedBy(ENTITY_RULES, requestOf('table', given));
const VALUE = 'property-value 400 InvalidInput';

describe('the value of a property', () => {
  test.each([
    ['"a":2147483647', undefined],
    ['"a":-2147483648', undefined],
    ['"a":2147483648', 'untyped-int32 400 InvalidInput'],
    ['"a":-2147483649', 'untyped-int32 400 InvalidInput'],
    ['"a":2147483648.0', undefined],
    ['"a":1e300', undefined],
    ['"a":1e400', 'untyped-int32 400 InvalidInput'],
    ['"a":"text"', undefined],
    ['"a":true', undefined],
    ['"a":null', undefined],
    ['"a":{}', 'untyped-int32 400 InvalidInput'],
    ['"a":[1]', 'untyped-int32 400 InvalidInput'],
    ['"a":"5","a@odata.type":"Edm.Int64"', undefined],
    ['"a":"9223372036854775807","a@odata.type":"Edm.Int64"', undefined],
    ['"a":"9223372036854775808","a@odata.type":"Edm.Int64"', VALUE],
    ['"a":5,"a@odata.type":"Edm.Int64"', VALUE],
    ['"a":2147483648,"a@odata.type":"Edm.Int32"', VALUE],
    ['"a":1.5,"a@odata.type":"Edm.Int32"', VALUE],
    ['"a":2147483648,"a@odata.type":"Edm.Double"', undefined],
    ['"a":"NaN","a@odata.type":"Edm.Double"', undefined],
    ['"a":"1.8e308","a@odata.type":"Edm.Double"', VALUE],
    ['"a":"a0b1c2d3-0000-1111-2222-333344445555","a@odata.type":"Edm.Guid"', undefined],
    ['"a":"a0b1c2d3","a@odata.type":"Edm.Guid"', VALUE],
    ['"a":"AAECAw==","a@odata.type":"Edm.Binary"', undefined],
    ['"a":"not base64!","a@odata.type":"Edm.Binary"', VALUE],
    ['"a":"2026-01-02T03:04:05.1234567Z","a@odata.type":"Edm.DateTime"', undefined],
    ['"a":"1601-01-01T00:00:00Z","a@odata.type":"Edm.DateTime"', undefined],
    ['"a":"1600-12-31T23:59:59Z","a@odata.type":"Edm.DateTime"', 'date-range 400 OutOfRangeInput'],
    ['"a":"junk","a@odata.type":"Edm.DateTime"', VALUE],
    ['"a":"2026-13-02T00:00:00Z","a@odata.type":"Edm.DateTime"', VALUE],
    ['"a":1,"a@odata.type":"Edm.Decimal"', VALUE],
  ])('%s: refused by %s (undefined: accepted)', (properties, expected) => {
    expect(refused(insert(`{"PartitionKey":"p","RowKey":"r",${properties}}`))).toBe(expected);
  });

  test('32,000 units of text and 64,000 bytes are accepted, one more is not', () => {
    const binary = (bytes: number) => ({
      ...KEYS,
      a: Buffer.alloc(bytes).toString('base64'),
      'a@odata.type': 'Edm.Binary',
    });
    expect(refused(insert({ ...KEYS, a: '\u20AC'.repeat(32_000) }))).toBeUndefined();
    expect(refused(insert({ ...KEYS, a: 'x'.repeat(32_001) }))).toBe('property-size 400 PropertyValueTooLarge');
    expect(refused(insert(binary(64_000)))).toBeUndefined();
    expect(refused(insert(binary(64_001)))).toBe('property-size 400 PropertyValueTooLarge');
  });
});

describe('an entity', () => {
  const many = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, index]));

  test('252 properties; annotations and null values do not count', () => {
    const annotations = Object.fromEntries(
      Array.from({ length: 252 }, (_, index) => [`p${index}@odata.type`, 'Edm.Int32']),
    );
    expect(refused(insert({ ...KEYS, ...many(252), ...annotations, extra: null }))).toBeUndefined();
    expect(refused(insert({ ...KEYS, ...many(253) }))).toBe('property-count 400 TooManyProperties');
  });

  test.each([
    ['a_1', undefined],
    ['_a', undefined],
    ['äöü', undefined],
    ['a'.repeat(255), undefined],
    ['a'.repeat(256), 'property-name-length 400 PropertyNameTooLong'],
    ['a-b', 'property-name 400 PropertyNameInvalid'],
    ['1a', 'property-name 400 PropertyNameInvalid'],
    ['a b', 'property-name 400 PropertyNameInvalid'],
  ])('a property named %s', (name, expected) => {
    expect(refused(insert({ ...KEYS, [name]: 1 }))).toBe(expected);
  });

  test('1 MiB, with the formula of the service', () => {
    const texts = (count: number, last: number): object =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`p${at + 10}`, 'x'.repeat(at + 1 === count ? last : 32_000)]),
      );
    // 4 + 2 * 2 for the keys; per text 8 + 2 * 3 for the name, 4 + 2 per unit.
    const used = 8 + 16 * (18 + 64_000) + 18;
    const rest = (1024 * 1024 - used) / 2;
    const full = { ...KEYS, ...texts(17, rest) };
    expect(entityBytes(parseEntity(Buffer.from(JSON.stringify(full))) ?? expect.fail())).toBe(1024 * 1024);
    expect(refused(insert(full))).toBeUndefined();
    expect(refused(insert({ ...KEYS, ...texts(17, rest + 1) }))).toBe('entity-size 400 EntityTooLarge');
  });

  test.each(['[]', '"text"', '{"PartitionKey":', ''])('a body that is not an object: %s', (body) => {
    expect(refused(insert(body))).toBe('entity-json 400 InvalidInput');
  });
});

describe('keys', () => {
  const CHARACTERS = 'key-characters 400 OutOfRangeInput';
  test.each<[key: string, expected: string | undefined]>([
    ['', undefined],
    ["it's", undefined],
    ['a b', undefined],
    ['a~\u00A0\u20AC', undefined],
    ['x'.repeat(512), undefined],
    ['x'.repeat(513), 'key-length 400 KeyValueTooLarge'],
    ['a/b', CHARACTERS],
    ['a\\b', CHARACTERS],
    ['a#b', CHARACTERS],
    ['a?b', CHARACTERS],
    ['a\tb', CHARACTERS],
    ['a\u0000b', CHARACTERS],
    ['a\u007Fb', CHARACTERS],
    ['a\u009Fb', CHARACTERS],
  ])('%j: refused by %s (undefined: accepted)', (key, expected) => {
    expect(refused(insert({ PartitionKey: 'p', RowKey: key }))).toBe(expected);
    expect(refused(insert({ PartitionKey: key, RowKey: 'r' }))).toBe(expected);
    const quoted = encodeURIComponent(key.replaceAll("'", "''"));
    expect(refused({ method: 'GET', path: `rows(PartitionKey='p',RowKey='${quoted}')` })).toBe(expected);
  });
});

describe('conditions', () => {
  const entity = (method: string, etag?: string): Given => ({
    method,
    path: "rows(PartitionKey='p',RowKey='r')",
    headers: etag === undefined ? {} : { 'If-Match': etag },
    body: method === 'DELETE' ? '' : KEYS,
  });
  test.each([
    ['DELETE', '*', undefined],
    ['DELETE', `W/"datetime'x'"`, undefined],
    ['DELETE', undefined, 'delete-if-match 400 MissingRequiredHeader'],
    ['DELETE', '"x"', 'etag-form 400 InvalidInput'],
    ['PATCH', 'x', 'etag-form 400 InvalidInput'],
    ['MERGE', 'x', 'etag-form 400 InvalidInput'],
    ['PUT', undefined, undefined],
  ])('%s with If-Match %s', (method, etag, expected) => {
    expect(refused(entity(method, etag))).toBe(expected);
  });
});
