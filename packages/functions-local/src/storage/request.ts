/** A call, parsed for the rules: which operation of which service on what. */

import { blobOperation } from './blob-operations.ts';
import { type CallHead, headerOf } from './call.ts';
import { queueOperation } from './queue-operations.ts';
import { tableOperation } from './table-operations.ts';

/** The operations that rules tell apart; `other` passes with the common rules alone. */
export type Operation =
  | 'create-queue'
  | 'delete-queue'
  | 'set-queue-metadata'
  | 'list-queues'
  | 'other-queue'
  | 'put-message'
  | 'get-messages'
  | 'peek-messages'
  | 'update-message'
  | 'delete-message'
  | 'clear-messages'
  | 'create-table'
  | 'delete-table'
  | 'insert-entity'
  | 'replace-entity'
  | 'merge-entity'
  | 'delete-entity'
  | 'get-entity'
  | 'query-entities'
  | 'transaction'
  | 'other-table'
  | 'create-container'
  | 'delete-container'
  | 'list-blobs'
  | 'list-containers'
  | 'set-container-metadata'
  | 'other-container'
  | 'put-blob'
  | 'put-block'
  | 'put-block-list'
  | 'copy-blob'
  | 'get-blob'
  | 'delete-blob'
  | 'set-blob-metadata'
  | 'snapshot-blob'
  | 'other-blob'
  | 'other';

/** What an operation is on. Names are decoded, and undefined where the operation has none. */
export interface Target {
  operation: Operation;
  /** Queue, table or container. */
  resource?: string;
  /** Blob or message id. */
  item?: string;
  /** Of an entity, from the URL. */
  keys?: { partitionKey: string; rowKey: string };
}

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

/** What tells the operations of one service apart. */
export interface Call {
  method: string;
  /** Segments after the account, decoded. */
  path: readonly string[];
  query: URLSearchParams;
  header(name: string): string | undefined;
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
