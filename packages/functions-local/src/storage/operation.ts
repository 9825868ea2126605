/** Which operation a call is, and on what. */

/** The parts of a request by which the operations of one service differ. */
export interface Call {
  method: string;
  /** Segments after the account, decoded. */
  path: readonly string[];
  query: URLSearchParams;
  header(name: string): string | undefined;
}

/** The operations that rules distinguish; only the common rules apply to `other`. */
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
