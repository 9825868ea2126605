/** A call, parsed for the rules: its operation, service and target. */

import { blobOperation } from './blobs/blob-operations.ts';
import { type CallHead, headerOf } from './call.ts';
import type { Target } from './operation.ts';
import { queueOperation } from './queues/queue-operations.ts';
import { tableOperation } from './tables/table-operations.ts';

/** The input of rules. `body` is empty until it is read. */
export interface Request extends Target {
  head: CallHead;
  account: string;
  query: URLSearchParams;
  body: Buffer;
  header(name: string): string | undefined;
}

const TARGETS = { queue: queueOperation, table: tableOperation, blob: blobOperation };

/** Parses the head of a call. If the URL cannot be decoded, the operation is `other`, and the service itself refuses it. */
export function parseRequest(head: CallHead): Request {
  const [path, search] = splitOnce(head.url, '?');
  const [, account = '', ...rest] = path.split('/');
  const query = new URLSearchParams(search);
  const header = (name: string): string | undefined => headerOf(head.headers, name);
  const target = decodeAll(rest);
  const found: Target =
    target === undefined
      ? { operation: 'other' }
      : TARGETS[head.service]({ method: head.method, path: target, query, header });
  return { ...found, head, account, query, header, body: Buffer.alloc(0) };
}

/** Splits a text at the first separator. Without a separator, the second part is empty. */
export function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function decodeAll(segments: readonly string[]): string[] | undefined {
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
