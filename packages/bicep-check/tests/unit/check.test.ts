import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, test } from 'vitest';
import type { DeployedResource, Value } from '../../src/index.ts';
import { checkResource } from '../../src/types/check.ts';
import { type Definitions, definitionsOf, type RawType, readDefinitions } from '../../src/types/definitions.ts';
import { checkAgainstRecord, recordOf, type Verified } from '../../src/types/record.ts';

const [REQUIRED, READ_ONLY] = [1, 2];
const property = (index: number, flags = 0) => ({ type: { $ref: `#/${index}` }, flags });

/** A fictitious type in the format of a types.json of Azure/bicep-types-az. */
const TYPES: RawType[] = [
  { $type: 'StringType' },
  { $type: 'StringType', minLength: 3, maxLength: 24, pattern: '^[a-z0-9]+$' },
  { $type: 'IntegerType', minValue: 1, maxValue: 10 },
  { $type: 'BooleanType' },
  { $type: 'StringLiteralType', value: 'Hot' },
  { $type: 'StringLiteralType', value: 'Cool' },
  { $type: 'UnionType', elements: [{ $ref: '#/4' }, { $ref: '#/5' }] },
  { $type: 'UnionType', elements: [{ $ref: '#/4' }, { $ref: '#/0' }] },
  { $type: 'ArrayType', itemType: { $ref: '#/9' }, maxLength: 2 },
  { $type: 'ObjectType', name: 'Item', properties: { value: property(0, REQUIRED), enabled: property(3) } },
  { $type: 'ObjectType', name: 'Map', properties: {}, additionalProperties: { $ref: '#/0' } },
  {
    $type: 'DiscriminatedObjectType',
    name: 'Rule',
    discriminator: 'kind.of',
    baseProperties: { order: property(2) },
    elements: { 'By/Size': { $ref: '#/12' }, ByAge: { $ref: '#/13' } },
  },
  {
    $type: 'ObjectType',
    name: 'BySize',
    properties: { 'kind.of': property(18, REQUIRED), size: property(2, REQUIRED) },
    additionalProperties: { $ref: '#/3' },
  },
  { $type: 'ObjectType', name: 'ByAge', properties: { 'kind.of': property(0, REQUIRED), age: property(2) } },
  { $type: 'AnyType' },
  {
    $type: 'ObjectType',
    name: 'Properties',
    properties: {
      count: property(2, REQUIRED),
      tier: property(6),
      mode: property(7),
      items: property(8),
      rule: property(11),
      state: property(0, READ_ONLY),
      free: property(14),
    },
  },
  {
    $type: 'ObjectType',
    name: 'Made.Up/things',
    properties: {
      id: property(0, READ_ONLY),
      name: property(1, REQUIRED),
      tags: property(10),
      location: property(0, REQUIRED),
      properties: property(15),
    },
  },
  { $type: 'ResourceType', name: 'Made.Up/things@2026-01-01', body: { $ref: '#/16' } },
  { $type: 'StringLiteralType', value: 'By/Size' },
];
const definitions: Definitions = definitionsOf(() => [TYPES]);
type Body = Record<string, Value>;
const resource = (properties: Body, more: Body = {}): DeployedResource => ({
  type: 'Made.Up/things',
  apiVersion: '2026-01-01',
  module: 'main',
  symbol: 'thing',
  name: 'thing',
  scope: 'subscription',
  location: 'here',
  tags: undefined,
  properties,
  body: { name: 'thing', location: 'here', properties, ...more },
  dependsOn: [],
});
const without = (one: DeployedResource, key: string): DeployedResource => {
  const { [key]: _, ...body } = one.body;
  return { ...one, body };
};
const good: Body = {
  count: 3,
  tier: 'Hot',
  mode: 'anything',
  items: [{ value: 'a' }, { value: 'b', enabled: true }],
  rule: { 'kind.of': 'By/Size', size: 1, order: 2, also: true },
  free: { whatever: [1] },
};
const reference = '[reference(Made.Up/things other).properties.x]';

describe('a resource', () => {
  test.each<[string, Body]>([
    ['with everything', good],
    [
      'with what only Azure knows in any place',
      { count: reference, tier: reference, items: reference, rule: reference },
    ],
    ['with null where it may be left out', { count: 1, tier: null }],
    ['of another variant', { count: 1, rule: { 'kind.of': 'ByAge', age: 4 } }],
  ])('passes with %s', (_, properties) => {
    expect(checkResource(resource(properties, { tags: { any: 'thing' } }), definitions).faults).toEqual([]);
  });

  test.each<[string, DeployedResource, string]>([
    ['an unknown property', resource(good, { kind: 'x' }), 'kind: unknown property'],
    ['an unknown one inside', resource({ ...good, Count: 1 }), 'properties/Count: unknown property'],
    [
      'one in an item',
      resource({ ...good, items: [{ value: 'a', off: 1 }] }),
      'properties/items[]/off: unknown property',
    ],
    [
      'one of another variant',
      resource({ ...good, rule: { 'kind.of': 'ByAge', size: 1 } }),
      'properties/rule(ByAge)/size: unknown property',
    ],
    ['a missing one', without(resource(good), 'location'), 'location: is missing'],
    ['a missing one inside', resource({ tier: 'Hot' }), 'properties/count: is missing'],
    ['a missing one in an item', resource({ ...good, items: [{}] }), 'properties/items[]/value: is missing'],
    [
      'a missing one of a variant',
      resource({ ...good, rule: { 'kind.of': 'By/Size' } }),
      'properties/rule(By/Size)/size: is missing',
    ],
    [
      'null where it is required',
      resource({ count: null }),
      'properties/count: expected a number from 1 to 10, got null',
    ],
    ['a read-only one', resource({ ...good, state: 'on' }), 'properties/state: is read-only'],
    [
      'a word that is none of the list',
      resource({ ...good, tier: 'hot' }),
      'properties/tier: expected one of Hot, Cool, got "hot"',
    ],
    [
      'a wrong variant',
      resource({ ...good, rule: { 'kind.of': 'x' } }),
      'properties/rule: expected "kind.of" as one of By/Size, ByAge, got {"kind.of":"x"}',
    ],
    ['a text for a number', resource({ count: '3' }), 'properties/count: expected a number from 1 to 10, got "3"'],
    ['a number too large', resource({ count: 11 }), 'properties/count: expected a number from 1 to 10, got 11'],
    ['a number for a text', resource({ ...good, mode: 1 }), 'properties/mode: expected one of Hot, got 1'],
    ['a number as a tag', resource(good, { tags: { a: 1 } }), 'tags/*: expected a text, got 1'],
    [
      'too many items',
      resource({ ...good, items: [{}, {}, {}] }),
      'properties/items: expected an array of 0 to 2 items, got [{},{},{}]',
    ],
    ['a short name', resource(good, { name: 'st' }), 'name: expected 3 to 24 characters, got "st"'],
    ['a name of other letters', resource(good, { name: 'St-1' }), 'name: expected a text like ^[a-z0-9]+$, got "St-1"'],
    ['an array for an object', resource(good, { properties: [] }), 'properties: expected an object, got []'],
    [
      'a version that there is not',
      { ...resource(good), apiVersion: '2020-01-01' },
      'there is no type Made.Up/things@2020-01-01',
    ],
  ])('is refused with %s', (_, faulty, fault) => {
    expect(checkResource(faulty, definitions).faults).toEqual([fault]);
  });
});

describe('definitions', () => {
  const checkout = mkdtempSync(join(tmpdir(), 'sluice-types-'));
  afterAll(() => rmSync(checkout, { recursive: true, force: true }));

  it('are found in a checkout by namespace and version, independent of the folder of the provider', () => {
    for (const [provider, types] of [
      ['up_0', []],
      ['up_1', TYPES],
    ] as const) {
      const folder = join(checkout, 'generated', provider, 'made.up', '2026-01-01');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'types.json'), JSON.stringify(types));
    }
    const found = readDefinitions(checkout);
    expect(checkResource(resource(good), found).faults).toEqual([]);
    expect(found('Made.Up/things@2020-01-01')).toBeUndefined();
    expect(found('Made.Down/things@2026-01-01')).toBeUndefined();
  });
});

describe('the record of what was checked', () => {
  const seen = [resource(good), resource({ count: 1, tier: 'Cool', mode: reference }, { tags: { a: 'b' } })];
  const record = { types: recordOf(seen, definitions) } as Verified;
  const check = (one: DeployedResource): string[] => checkAgainstRecord(one, record);

  it('contains the sent properties by path', () => {
    expect(record.types['Made.Up/things@2026-01-01']).toMatchObject({
      '': 'object',
      name: 'required string',
      'tags/*': 'string',
      'properties/count': 'required integer',
      'properties/tier': 'one of ["Cool","Hot"]',
      'properties/mode': 'reference | string',
      'properties/rule(By/Size)/size': 'required integer',
      'properties/items[]/value': 'required string',
    });
  });

  it('accepts its properties or a subset', () => {
    expect([...seen, resource({ count: 1 }, { tags: { other: 'c' } })].flatMap(check)).toEqual([]);
  });

  test.each<[string, DeployedResource, string]>([
    ['a new property', resource({ ...good, extra: 1 }), 'properties/extra: was never checked'],
    [
      'one in an item',
      resource({ ...good, items: [{ value: 'a', off: 1 }] }),
      'properties/items[]/off: was never checked',
    ],
    [
      'a variant',
      resource({ ...good, rule: { 'kind.of': 'ByAge' } }),
      'properties/rule(ByAge)/kind.of: was never checked',
    ],
    ['a missing property', without(resource(good), 'location'), 'location: is missing'],
    [
      'a missing one of a variant',
      resource({ ...good, rule: { 'kind.of': 'By/Size' } }),
      'properties/rule(By/Size)/size: is missing',
    ],
    ['a word', resource({ ...good, tier: 'Cold' }), 'properties/tier: expected one of ["Cool","Hot"], got "Cold"'],
    ['a type of value', resource({ ...good, count: '1' }), 'properties/count: expected required integer, got "1"'],
    ['a version', { ...resource(good), apiVersion: '2020-01-01' }, 'Made.Up/things@2020-01-01 was never checked'],
  ])('refuses %s', (_, changed, fault) => {
    expect(check(changed)).toEqual([fault]);
  });
});
