/** The storage services whose SDK pipelines are metered. */
export type StorageService = 'blob' | 'queue' | 'table';

export interface RequestShape {
  method: string;
  url: string;
  headers: { get(name: string): string | undefined };
}

const BLOB_PUT_BY_COMP: Readonly<Record<string, string>> = {
  block: 'stage',
  blocklist: 'commit',
  metadata: 'metadata',
  properties: 'metadata',
  tags: 'metadata',
  lease: 'lease',
};

const BLOB_GET_BY_COMP: Readonly<Record<string, string>> = { list: 'list', metadata: 'head' };

/** https://learn.microsoft.com/rest/api/storageservices/blob-service-rest-api */
function blobOperation({ method, headers }: RequestShape, query: URLSearchParams): string {
  const comp = query.get('comp');
  if (method === 'HEAD') return 'head';
  if (method === 'DELETE') return 'delete';
  if (method === 'GET') return comp === null ? 'get' : (BLOB_GET_BY_COMP[comp] ?? 'other');
  if (method !== 'PUT') return 'other';
  if (comp !== null) return BLOB_PUT_BY_COMP[comp] ?? 'other';
  if (query.get('restype') === 'container') return 'create';
  return headers.get('x-ms-copy-source') === undefined ? 'put' : 'copy';
}

/** https://learn.microsoft.com/rest/api/storageservices/queue-service-rest-api */
function queueOperation({ method }: RequestShape, path: string, query: URLSearchParams): string {
  const comp = query.get('comp');
  if (comp === 'list') return 'list';
  if (comp === 'metadata') return method === 'PUT' ? 'metadata' : 'properties';
  if (comp !== null) return 'other';
  // Compares suffixes, not positions: in a local endpoint, the account is the first segment.
  const onMessages = path.endsWith('/messages');
  if (method === 'POST') return 'put';
  if (method === 'GET') return query.get('peekonly') === 'true' ? 'peek' : 'get';
  if (method === 'PUT') return query.has('popreceipt') ? 'update' : 'create';
  if (method !== 'DELETE') return 'other';
  if (query.has('popreceipt')) return 'delete';
  return onMessages ? 'clear' : 'remove';
}

const TABLE_BY_METHOD: Readonly<Record<string, string>> = {
  POST: 'insert',
  PUT: 'update',
  PATCH: 'update',
  MERGE: 'update',
  DELETE: 'delete',
};

const TABLES_BY_METHOD: Readonly<Record<string, string>> = { POST: 'create', DELETE: 'remove', GET: 'list' };

/** https://learn.microsoft.com/rest/api/storageservices/table-service-rest-api */
function tableOperation({ method, headers }: RequestShape, path: string, query: URLSearchParams): string {
  if (path.endsWith('/$batch')) return 'transaction';
  if (query.has('comp')) return 'other';
  // Key values may contain any character of a path, so only the first parenthesis counts.
  const [resource = '', keys = ''] = path.split('(', 2);
  if (resource.endsWith('/Tables')) return TABLES_BY_METHOD[method] ?? 'other';
  if (method === 'GET') return /^PartitionKey=/i.test(keys) ? 'get' : 'query';
  // Clients that cannot send MERGE or DELETE send it in a header of a POST.
  return TABLE_BY_METHOD[headers.get('x-http-method') ?? method] ?? 'other';
}

function nameOf(service: StorageService, request: RequestShape): string {
  const { pathname, searchParams } = new URL(request.url);
  switch (service) {
    case 'blob':
      return blobOperation(request, searchParams);
    case 'queue':
      return queueOperation(request, pathname, searchParams);
    case 'table':
      return tableOperation(request, pathname, searchParams);
    default:
      return service satisfies never;
  }
}

/**
 * Returns `<service>.<operation>` of a storage request, such as `blob.put` or `table.transaction`, or `<service>.other`
 * for operations that Sluice does not use. A table transaction is billed as one operation, whatever its content.
 */
export const operationOf = (service: StorageService, request: RequestShape): string =>
  `${service}.${nameOf(service, request)}`;
