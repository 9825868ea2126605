import { describe, expect, it, test } from 'vitest';
import { fromBatchEntity } from '../../../shared/batches/batch-row.ts';
import { COLUMNS, type RowKind } from '../../../shared/storage/columns.ts';
import { type Entity, fromEntity, toEntity } from '../../../shared/storage/entity.ts';
import { fromGateEntity } from '../../../shared/wake/gate/gate-row.ts';
import { fullBatch, fullRows } from '../../helpers/data/full-rows.ts';

const KINDS = Object.keys(COLUMNS) as RowKind[];
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

describe.each(KINDS)('a %s row', (kind) => {
  it('has exactly the columns in the table of columns', () => {
    const { partitionKey: _partition, rowKey: _row, ...columns } = fullRows(SMALL, 0.5)[kind];

    expect(Object.keys(columns).sort()).toEqual(Object.keys(COLUMNS[kind]).sort());
  });

  it('has columns with a type that is independent of the value', () => {
    const types = typesOf(fullRows(SMALL, 0.5)[kind]);

    expect(typesOf(fullRows(LARGE, 5)[kind])).toEqual(types);
    expect(typesOf(fullRows(0, 0)[kind])).toEqual(types);
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
  expect(fromBatchEntity(asRead(fullRows(n, 0.5).batch)).row).toEqual(fullBatch(n, 0.5));
});

test('a gate row is read with plain numbers', () => {
  const { row } = fromGateEntity(asRead(fullRows(LARGE, 5).gate));

  expect(row).toMatchObject({ wakes: LARGE, generation: 1, failureRate: 5, paused: { probes: 1 } });
});

test('a number that was stored as Int32 is read for an int64 column', () => {
  expect(fromEntity('gate', { ...KEYS, etag: 'e', wakes: 3, depth: 4n })).toEqual({ wakes: 3, depth: 4 });
});

// @ts-expect-error a column that is not declared does not compile, either
const undeclared = () => toEntity('open', KEYS, { workload: 'w', more: 1 });

test.each([
  [
    'an Int32 beyond its range',
    () => toEntity('heartbeat', KEYS, { generation: 2 ** 31 }),
    /beat row p\/r, column generation: .* 2147483647, got 2147483648/,
  ],
  [
    'a fraction in an Int64',
    () => toEntity('line', KEYS, { accepted: 0.5 }),
    /line row p\/r, column accepted: .* got 0\.5/,
  ],
  [
    'an Int64 beyond what a number holds exactly',
    () => toEntity('line', KEYS, { accepted: 2 ** 53 }),
    /column accepted/,
  ],
  [
    'what is no number',
    () => toEntity('line', KEYS, { handlerSeconds: Number.NaN }),
    /column handlerSeconds: .* got NaN/,
  ],
  [
    'a text over 64 KiB',
    () => toEntity('open', KEYS, { workload: 'x'.repeat(32_769) }),
    /column workload: .* got text of 32769 units/,
  ],
  [
    'a value whose JSON is over 64 KiB',
    () => toEntity('policy', KEYS, { policy: 'x'.repeat(32_769) }),
    /column policy/,
  ],
  ['a column that is not declared', () => undeclared(), /open row p\/r, column more: expected no such column, got 1/],
] as const)('%s is refused before it is sent, with row and column in the error', (_what, make, expected) => {
  expect(make).toThrow(expected);
});

test('a value that is undefined is not stored', () => {
  expect(toEntity('open', KEYS, { workload: undefined })).toEqual(KEYS);
});
