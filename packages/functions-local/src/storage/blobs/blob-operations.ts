import type { Call, Operation, Target } from '../operation.ts';

const PUTS: Readonly<Record<string, Operation>> = {
  block: 'put-block',
  blocklist: 'put-block-list',
  metadata: 'set-blob-metadata',
  snapshot: 'snapshot-blob',
};

/** Determines the operation of /container and /container/blob/with/segments. */
export function blobOperation({ method, path, query, header }: Call): Target {
  const [resource = '', ...segments] = path;
  const comp = query.get('comp');
  if (resource === '') return { operation: comp === 'list' ? 'list-containers' : 'other' };
  if (query.get('restype') === 'container' || segments.length === 0) {
    return { operation: onContainer(method, comp), resource };
  }
  const operation = onBlob(method, comp, header('x-ms-copy-source') !== undefined);
  return { operation, resource, item: segments.join('/') };
}

function onContainer(method: string, comp: string | null): Operation {
  if (method === 'GET' && comp === 'list') return 'list-blobs';
  if (method === 'PUT' && comp === 'metadata') return 'set-container-metadata';
  if (comp !== null) return 'other-container';
  return method === 'PUT' ? 'create-container' : method === 'DELETE' ? 'delete-container' : 'other-container';
}

function onBlob(method: string, comp: string | null, copies: boolean): Operation {
  if (method === 'PUT' && comp === null) return copies ? 'copy-blob' : 'put-blob';
  if (method === 'PUT') return PUTS[comp ?? ''] ?? 'other-blob';
  if (comp !== null) return 'other-blob';
  return method === 'GET' ? 'get-blob' : method === 'DELETE' ? 'delete-blob' : 'other-blob';
}
