/** A table as plain data, with ETags, entity group transactions and the few OData filters that the code uses. */
import type { Table } from '../../../shared/storage/table.ts';
import { filterOf } from './odata-filter.ts';
import type { Answer, Asker, Call } from './programs.ts';

/** Rows by `partition|row`; the version is the ETag. */
export type Rows = Readonly<Record<string, Row>>;
export interface Row {
  version: number;
  columns: Readonly<Record<string, unknown>>;
}

type Columns = Record<string, unknown>;
export type Action = readonly [kind: 'create' | 'update' | 'upsert' | 'delete', columns: Columns, ...rest: unknown[]];

const keyOf = (columns: Columns): string => `${String(columns.partitionKey)}|${String(columns.rowKey)}`;
/** Set by the service: a client that sends them back must not find them stored. */
const stored = ({ etag: _etag, timestamp: _timestamp, ...columns }: Columns): Columns =>
  Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));

/**
 * The result of a call, by its arguments. Each open call has its own array, and neither the array nor the rows change
 * in place.
 */
const effects = new WeakMap<Rows, WeakMap<readonly unknown[], ReturnType<typeof tableEffect>>>();
/** One object for all rows with the same content, so that cached results are found again. */
const sameRows = new Map<string, Rows>();

/** `tableEffect` for explorers, which take the same step from many worlds; each result is computed once. */
export function knownTableEffect(rows: Rows, { name, args }: Call): ReturnType<typeof tableEffect> {
  const ofRows = effects.get(rows) ?? new WeakMap<readonly unknown[], ReturnType<typeof tableEffect>>();
  const known = ofRows.get(args);
  if (known) return known;
  const effect = tableEffect(rows, name, args);
  if (!effect) return undefined;
  const shared = effect.rows === rows ? effect : { ...effect, rows: shareRows(effect.rows) };
  effects.set(rows, ofRows.set(args, shared));
  return shared;
}

function shareRows(rows: Rows): Rows {
  const text = JSON.stringify(rows);
  const same = sameRows.get(text);
  if (!same) sameRows.set(text, rows);
  return same ?? rows;
}

/** Returns the changes and the answer of a table call; undefined for other calls. */
export function tableEffect(
  rows: Rows,
  name: string,
  args: readonly unknown[],
): { rows: Rows; answer: Answer } | undefined {
  if (name === 'table.get') {
    const found = rows[`${String(args[0])}|${String(args[1])}`];
    return { rows, answer: found ? { value: read(found) } : { status: 404 } };
  }
  if (name === 'table.list') {
    const matches = filterOf(String(args[0]));
    const found = Object.keys(rows)
      .sort()
      .flatMap((key) => (rows[key] ? [read(rows[key])] : []));
    return { rows, answer: { value: found.filter(matches) } };
  }
  if (name !== 'table.write') return undefined;
  let next: Rows = rows;
  for (const action of args[0] as Action[]) {
    const changed = apply(next, action);
    if (typeof changed === 'number') return { rows, answer: { status: changed } };
    next = changed;
  }
  return { rows: next, answer: { value: etagsOf(next, args[0] as Action[]) } };
}

/** The new ETags by row key. */
const etagsOf = (rows: Rows, actions: readonly Action[]): Record<string, string> =>
  Object.fromEntries(
    actions.flatMap(([, columns]) => {
      const row = rows[keyOf(columns)];
      return row ? [[String(columns.rowKey), String(row.version)]] : [];
    }),
  );

/** No row is ever young here, so code that waits for the age of a row continues immediately. */
const LONG_AGO = '2025-01-01T00:00:00.000Z';

const read = ({ version, columns }: Row): Columns => ({
  ...plainTypes(columns),
  etag: String(version),
  timestamp: LONG_AGO,
});

/** Converts a typed value ({type, value}) to what the SDK returns: an Int64 becomes a bigint. */
const plainTypes = (columns: Columns): Columns =>
  Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, isTyped(value) ? plain(value) : value]));
const plain = ({ type, value }: { type: string; value: string }): unknown =>
  type === 'Int64' ? BigInt(value) : Number(value);
/**
 * Stricter than Azurite: a whole number without a type is an Int32. Source: Microsoft Learn, payload format for Table
 * operations.
 */
const isRefused = (value: unknown): boolean => Number.isInteger(value) && Math.abs(Number(value)) > 2 ** 31 - 1;
const isTyped = (value: unknown): value is { type: string; value: string } =>
  typeof value === 'object' && value !== null && 'type' in value && 'value' in value;

/** Returns the rows after one action, or the status with which the service refuses it. */
function apply(rows: Rows, [kind, columns, ...rest]: Action): Rows | number {
  const key = keyOf(columns);
  const found = rows[key];
  const [mode, options] = (kind === 'delete' ? ['Replace', rest[0]] : rest) as [string?, { etag?: string }?];
  if (Object.values(columns).some(isRefused)) return 400;
  if (kind === 'create' && found) return 409;
  if ((kind === 'update' || kind === 'delete') && !found) return 404;
  const etag = options?.etag ?? '*';
  if (kind !== 'create' && kind !== 'upsert' && etag !== '*' && etag !== String(found?.version)) return 412;
  if (kind === 'delete') {
    const { [key]: _gone, ...left } = rows;
    return left;
  }
  const merged = mode === 'Merge' ? { ...found?.columns, ...stored(columns) } : stored(columns);
  return { ...rows, [key]: { version: (found?.version ?? 0) + 1, columns: merged } };
}

/** The service's error codes: by the status alone, a missing entity and a missing table are indistinguishable. */
const CODES: Record<number, string> = {
  404: 'ResourceNotFound',
  409: 'EntityAlreadyExists',
  412: 'UpdateConditionNotSatisfied',
};

const coded = (error: Error & { statusCode?: number }): Error =>
  Object.assign(error, { code: CODES[error.statusCode ?? 0] });

/** A `Table` whose calls all become steps of the world. */
export function tableOf(asker: Pick<Asker, 'ask'>, prefix = 'table'): Table {
  const ask = async (name: string, ...args: unknown[]): Promise<unknown> => {
    try {
      return await asker.ask(name, ...args);
    } catch (error) {
      throw error instanceof Error ? coded(error) : error;
    }
  };
  const write = async (actions: Action[]) => (await ask(`${prefix}.write`, actions)) as Record<string, string>;
  const writeOne = async (action: Action) => ({ etag: (await write([action]))[String(action[1].rowKey)] });
  const table = {
    tableName: prefix,
    url: 'memory:',
    getEntity: (partitionKey: string, rowKey: string) => ask(`${prefix}.get`, partitionKey, rowKey),
    createEntity: (entity: Columns) => writeOne(['create', entity]),
    updateEntity: (entity: Columns, mode = 'Merge', options = {}) => writeOne(['update', entity, mode, options]),
    upsertEntity: (entity: Columns, mode = 'Merge') => writeOne(['upsert', entity, mode]),
    deleteEntity: (partitionKey: string, rowKey: string, options = {}) =>
      writeOne(['delete', { partitionKey, rowKey }, options]),
    submitTransaction: async (actions: Action[]) => {
      const etags = await write(actions);
      return { subResponses: actions.map((action) => ({ status: 204, etag: etags[String(action[1].rowKey)] })) };
    },
    listEntities: ({ queryOptions }: { queryOptions: { filter: string } }) => list(ask, prefix, queryOptions.filter),
  };
  return table as unknown as Table;
}

/** A single page, so the read is atomic: no exploration has more than a thousand rows. */
async function* list(ask: Asker['ask'], prefix: string, filter: string): AsyncGenerator<unknown> {
  yield* (await ask(`${prefix}.list`, filter)) as unknown[];
}
