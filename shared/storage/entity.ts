/** Converts rows to and from table entities: `toEntity` writes every row, `fromEntity` reads it. */
import type { Columns, ColumnType, Row, SomeValues, Values } from './row.ts';

export type EntityKeys = {
  partitionKey: string;
  rowKey: string;
};

/** An entity as it was read: any columns, with its ETag. */
export type Entity = Record<string, unknown> & EntityKeys & { etag: string };

declare const typed: unique symbol;
/** An entity to be written. Only `toEntity` creates one, so that no column is stored without its type. */
export type StoredEntity = Readonly<Record<string, unknown>> & EntityKeys & { readonly [typed]: true };

const INT32 = { min: -(2 ** 31), max: 2 ** 31 - 1 };
/**
 * A string column holds 64 KiB of UTF-16 (source: Microsoft Learn, Table service data model); accounts refused the last
 * few hundred (Azurite#2510).
 */
export const MAX_UNITS = 32_000;

/**
 * Creates the entity of a row.
 * @throws RangeError with row and column, for a value that its type cannot hold and for a column that is not declared.
 */
export function toEntity<C extends Columns, V extends SomeValues<C>>(
  { name: kind, columns }: Row<C>,
  { partitionKey, rowKey }: EntityKeys,
  row: V & Record<Exclude<keyof V & string, keyof C>, never>,
): StoredEntity {
  const values: Readonly<Record<string, unknown>> = row;
  const refuse = (name: string, expected: string): RangeError =>
    new RangeError(
      `${kind} row ${partitionKey}/${rowKey}, column ${name}: expected ${expected}, got ${shown(values[name])}.`,
    );
  for (const name of Object.keys(values)) if (!(name in columns)) throw refuse(name, 'no such column');
  const entity: Record<string, unknown> = { partitionKey, rowKey };
  for (const [name, { type }] of Object.entries(columns)) {
    const value = values[name];
    if (value === undefined) continue;
    const stored = encode(type, value);
    if (stored === undefined) throw refuse(name, EXPECTED[type]);
    entity[name] = stored;
  }
  return entity as StoredEntity;
}

/**
 * Reads a row. Columns that are not stored have their initial value or are absent, and columns that are not declared are
 * omitted.
 */
export function fromEntity<C extends Columns>(row: Row<C>, entity: Entity): Values<C> {
  const values: Record<string, unknown> = { ...row.initial };
  for (const [name, { type }] of Object.entries(row.columns)) {
    const stored = entity[name];
    if (stored !== undefined && stored !== null) values[name] = decode(type, stored);
  }
  return values as Values<C>;
}

const EXPECTED: Record<ColumnType, string> = {
  string: `text of at most ${MAX_UNITS} UTF-16 units`,
  json: `a value whose JSON has at most ${MAX_UNITS} UTF-16 units`,
  boolean: 'true or false',
  int32: `a whole number of at most ${INT32.max}`,
  int64: `a whole number of at most ${Number.MAX_SAFE_INTEGER}`,
  double: 'a finite number',
};

/** Returns the value as the SDK sends it with its type, or undefined if the type cannot hold it. */
function encode(type: ColumnType, value: unknown): unknown {
  switch (type) {
    case 'string':
      return text(value);
    case 'json':
      return text(JSON.stringify(value));
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'int32':
      // The service stores a whole number without a type as Int32.
      return isWhole(value) && value >= INT32.min && value <= INT32.max ? value : undefined;
    case 'int64':
      return isWhole(value) ? { type: 'Int64', value: String(value) } : undefined;
    case 'double':
      return Number.isFinite(value) ? { type: 'Double', value: String(value) } : undefined;
    default:
      return type satisfies never;
  }
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= MAX_UNITS ? value : undefined;

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

/** Reads a stored value: all numbers become plain ones, also an Int64, which the SDK returns as bigint. */
function decode(type: ColumnType, stored: unknown): unknown {
  if (type === 'string') return String(stored);
  if (type === 'boolean') return stored === true;
  return type === 'json' ? JSON.parse(String(stored)) : Number(stored);
}

const shown = (value: unknown): string =>
  typeof value === 'string'
    ? `text of ${value.length} units`
    : typeof value === 'number'
      ? String(value)
      : typeof value;
