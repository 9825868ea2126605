/** The operation and the target of a call. */

/** The parts of a request that determine its operation. */
export interface Call {
  method: string;
  /** Decoded segments after the account. */
  path: readonly string[];
  query: URLSearchParams;
  header(name: string): string | undefined;
}

/** The operations that rules distinguish. Only the common rules apply to `other`. */
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

/** The target of an operation. Names are decoded, and undefined if the operation has none. */
export interface Target {
  operation: Operation;
  /** Queue, table or container. */
  resource?: string;
  /** Blob or message id. */
  item?: string;
  /** The keys of an entity, from the URL. */
  keys?: { partitionKey: string; rowKey: string };
}
