import type { Call, Operation, Target } from '../operation.ts';

/** Determines the operation of /queue, /queue/messages and /queue/messages/id. */
export function queueOperation({ method, path, query }: Call): Target {
  const [resource = '', messages, item] = path;
  if (resource === '') return { operation: query.get('comp') === 'list' ? 'list-queues' : 'other' };
  if (messages === undefined) return { operation: onQueue(method, query), resource };
  if (item === undefined) return { operation: onMessages(method, query), resource };
  return { operation: method === 'PUT' ? 'update-message' : 'delete-message', resource, item };
}

function onQueue(method: string, query: URLSearchParams): Operation {
  const comp = query.get('comp');
  if (method === 'PUT')
    return comp === 'metadata' ? 'set-queue-metadata' : comp === null ? 'create-queue' : 'other-queue';
  return method === 'DELETE' ? 'delete-queue' : 'other-queue';
}

function onMessages(method: string, query: URLSearchParams): Operation {
  if (method === 'POST') return 'put-message';
  if (method === 'DELETE') return 'clear-messages';
  return query.get('peekonly') === 'true' ? 'peek-messages' : 'get-messages';
}
