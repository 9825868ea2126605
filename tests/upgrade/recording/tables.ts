import { TableClient, type TableEntity, TableServiceClient } from '@azure/data-tables';

/** A text, or a value with its type. */
type Value = string | { type: string; value: string };
/** Entities by table, in the order of their keys. */
export type RecordedTables = Record<string, Record<string, Value>[]>;

const LOCAL = { allowInsecureConnection: true };
/** Columns that the service sets. */
const OF_SERVICE = new Set(['etag', 'timestamp']);

/** Reads all entities of all tables. */
export async function exportTables(connection: string): Promise<RecordedTables> {
  const tables: RecordedTables = {};
  for await (const { name = '' } of TableServiceClient.fromConnectionString(connection, LOCAL).listTables()) {
    const rows: Record<string, Value>[] = [];
    const client = TableClient.fromConnectionString(connection, name, LOCAL);
    for await (const entity of client.listEntities<Record<string, Value>>({ disableTypeConversion: true })) {
      const columns = Object.entries(entity)
        .filter(([column]) => !OF_SERVICE.has(column) && !column.includes('odata'))
        .map(([column, value]) => [column, plainText(value)] as const);
      rows.push(Object.fromEntries(columns.sort(([a], [b]) => rankOf(a) - rankOf(b) || compare(a, b))));
    }
    tables[name] = rows;
  }
  return Object.fromEntries(Object.entries(tables).sort(([a], [b]) => compare(a, b)));
}

const plainText = (value: Value): Value => (typeof value === 'object' && value.type === 'String' ? value.value : value);
const rankOf = (column: string): number => ['partitionKey', 'rowKey'].indexOf(column) >>> 0;
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const INSTANT = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g;
/** A date that never comes marks a row that is kept; it stays. */
const NEVER = '9999';

/**
 * Writes the entities to tables that exist. Instants in their texts are moved by `ageMs`, so that a recording is always of
 * the same age. Keys are names, which stay: they contain the day of the recording.
 */
export async function loadTables(connection: string, tables: RecordedTables, ageMs: number): Promise<void> {
  const move = (text: string): string =>
    text.replaceAll(INSTANT, (instant) =>
      instant.startsWith(NEVER) ? instant : new Date(Date.parse(instant) + ageMs).toISOString(),
    );
  for (const [name, rows] of Object.entries(tables)) {
    const client = TableClient.fromConnectionString(connection, name, LOCAL);
    for (const { partitionKey, rowKey, ...columns } of rows) {
      const moved = Object.entries(columns).map(([column, value]) => [
        column,
        typeof value === 'string' ? move(value) : value,
      ]);
      await client.createEntity({ ...Object.fromEntries(moved), partitionKey, rowKey } as TableEntity);
    }
  }
}
