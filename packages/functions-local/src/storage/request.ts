/** A call, parsed for the rules: which operation of which service on what. */

import { blobOperation } from './blobs/blob-operations.ts';
import { type CallHead, headerOf } from './call.ts';
import type { Target } from './operation.ts';
import { queueOperation } from './queues/queue-operations.ts';
import { tableOperation } from './tables/table-operations.ts';

/** What the rules see. `body` is empty until it is read. */
export interface Request extends Target {
  head: CallHead;
  account: string;
  query: URLSearchParams;
  body: Buffer;
  header(name: string): string | undefined;
}

const TARGETS = { queue: queueOperation, table: tableOperation, blob: blobOperation };

/** Parses the head of a call. A URL that cannot be decoded makes the operation `other`: the service itself refuses it. */
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

/** The text before and after the first separator; without one, all of it and nothing. */
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
