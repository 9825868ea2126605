import type { Call, Operation, Target } from '../operation.ts';

const ENTITY = /^(\w+)\(PartitionKey='((?:[^']|'')*)', *RowKey='((?:[^']|'')*)'\)$/s;
const TABLES = /^Tables(?:\('(.*)'\))?(?:\(\))?$/s;
const BY_METHOD: Readonly<Record<string, Operation>> = {
  GET: 'get-entity',
  PUT: 'replace-entity',
  PATCH: 'merge-entity',
  MERGE: 'merge-entity',
  DELETE: 'delete-entity',
};

/** Determines the operation of /Tables, /Tables('name'), /$batch, /name, /name() and /name(PartitionKey='p',RowKey='r'). */
export function tableOperation({ method, path, query, header }: Call): Target {
  const last = path.join('/');
  if (last === '$batch') return { operation: 'transaction' };
  const tables = TABLES.exec(last);
  if (tables) return onTables(method, tables[1]);
  const entity = ENTITY.exec(last);
  if (entity) {
    const [, resource = '', partitionKey = '', rowKey = ''] = entity;
    const keys = { partitionKey: unquoted(partitionKey), rowKey: unquoted(rowKey) };
    const verb = method === 'POST' ? (header('x-http-method') ?? method) : method;
    return { operation: BY_METHOD[verb] ?? 'other-table', resource, keys };
  }
  const resource = last.replace(/\(\)$/, '');
  if (resource === '') return { operation: 'other' };
  if (method === 'POST') return { operation: 'insert-entity', resource };
  return { operation: method === 'GET' && query.get('comp') === null ? 'query-entities' : 'other-table', resource };
}

function onTables(method: string, resource: string | undefined): Target {
  // The name of a new table is in the body.
  if (method === 'POST') return { operation: 'create-table' };
  if (resource === undefined) return { operation: 'other' };
  return { operation: method === 'DELETE' ? 'delete-table' : 'other-table', resource };
}

const unquoted = (key: string): string => key.replaceAll("''", "'");
