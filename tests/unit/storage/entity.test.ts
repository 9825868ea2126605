import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { BATCH, fromBatchEntity } from '../../../shared/batches/batch-row.ts';
import { LINE } from '../../../shared/batches/listing/index-rows.ts';
import { OPEN_BATCH } from '../../../shared/batches/listing/open-rows.ts';
import { fromGateEntity, GATE, newGate } from '../../../shared/gate/gate-row.ts';
import { HEARTBEAT } from '../../../shared/gate/heartbeat.ts';
import { POLICY } from '../../../shared/gate/policy-store.ts';
import { type Entity, fromEntity, toEntity } from '../../../shared/storage/entity.ts';
import { fullEntity, fullValues, ROWS } from '../../helpers/data/full-rows.ts';

const SHARED = join(import.meta.dirname, '../../../shared');
const KEYS = { partitionKey: 'p', rowKey: 'r' };
const SMALL = 5;
const LARGE = Number.MAX_SAFE_INTEGER;

/** The type that the service assigns to a value as the SDK sends it. */
function edmType(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'type' in value) return String(value.type);
  if (typeof value === 'number') return Number.isInteger(value) ? 'Int32' : 'Double';
  return typeof value;
}
const typesOf = (entity: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(entity).map(([name, value]) => [name, edmType(value)]));

test('every declared row is tested', () => {
  const files = readdirSync(SHARED, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const declared = files.flatMap((name) => [
    ...readFileSync(join(SHARED, name), 'utf8').matchAll(/= defineRow\('(\w+)'/g),
  ]);
  expect(declared.map(([, name]) => name).sort()).toEqual(ROWS.map(({ name }) => name).sort());
});

describe.each(ROWS)('a $name row', (row) => {
  it('has exactly the declared columns', () => {
    const { partitionKey: _partition, rowKey: _row, ...columns } = fullEntity(row, SMALL, 0.5);

    expect(Object.keys(columns).sort()).toEqual(Object.keys(row.columns).sort());
  });

  it('has columns with a type that is independent of the value', () => {
    const types = typesOf(fullEntity(row, SMALL, 0.5));

    expect(typesOf(fullEntity(row, LARGE, 5))).toEqual(types);
    expect(typesOf(fullEntity(row, 0, 0))).toEqual(types);
  });
});

/** The value that the SDK returns for a sent one: an Int64 as a bigint. */
const asRead = (entity: Record<string, unknown>): Entity =>
  Object.fromEntries([
    ['etag', 'e'],
    ...Object.entries(entity).map(([name, value]) => {
      const { type, value: text } = (typeof value === 'object' ? value : {}) as { type?: string; value?: string };
      if (type === undefined) return [name, value];
      return [name, type === 'Int64' ? BigInt(String(text)) : Number(text)];
    }),
  ]) as unknown as Entity;

test.each([SMALL, LARGE])('a batch row is read as it was written, with plain numbers: %d', (n) => {
  expect(fromBatchEntity(asRead(fullEntity(BATCH, n, 0.5))).row).toEqual({ ...fullValues(BATCH, n, 0.5), id: 'p' });
});

test('a gate row is read with plain numbers', () => {
  const { row } = fromGateEntity(asRead(fullEntity(GATE, LARGE, 5)));

  expect(row).toMatchObject({ wakes: LARGE, generation: 1, failureRate: 5, waves: { n: LARGE } });
});

test('a number that was stored as Int32 is read for an int64 column', () => {
  expect(fromEntity(GATE, { ...KEYS, etag: 'e', wakes: 3, depth: 4n })).toMatchObject({ wakes: 3, depth: 4 });
});

test('columns that a stored row lacks have their initial value or are absent', () => {
  expect(fromGateEntity({ ...KEYS, etag: 'e', rowKey: 'gate:q' }).row).toEqual(newGate('q'));
});

// @ts-expect-error a column that is not declared does not compile, either
const undeclared = () => toEntity(OPEN_BATCH, KEYS, { workload: 'w', more: 1 });

test.each([
  [
    'an Int32 beyond its range',
    () => toEntity(HEARTBEAT, KEYS, { generation: 2 ** 31 }),
    /beat row p\/r, column generation: .* 2147483647, got 2147483648/,
  ],
  [
    'a fraction in an Int64',
    () => toEntity(LINE, KEYS, { accepted: 0.5 }),
    /line row p\/r, column accepted: .* got 0\.5/,
  ],
  ['an Int64 beyond what a number holds exactly', () => toEntity(LINE, KEYS, { accepted: 2 ** 53 }), /column accepted/],
  [
    'what is no number',
    () => toEntity(LINE, KEYS, { handlerSeconds: Number.NaN }),
    /column handlerSeconds: .* got NaN/,
  ],
  [
    'a text over 64 KiB',
    () => toEntity(OPEN_BATCH, KEYS, { workload: 'x'.repeat(32_769) }),
    /column workload: .* got text of 32769 units/,
  ],
  ['a value whose JSON is over 64 KiB', () => toEntity(POLICY, KEYS, { policy: 'x'.repeat(32_769) }), /column policy/],
  ['a column that is not declared', () => undeclared(), /open row p\/r, column more: expected no such column, got 1/],
] as const)('%s is refused before it is sent, with row and column in the error', (_what, make, expected) => {
  expect(make).toThrow(expected);
});

test('a value that is undefined is not stored', () => {
  expect(toEntity(OPEN_BATCH, KEYS, { workload: undefined })).toEqual(KEYS);
});
