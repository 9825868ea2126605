/** Helpers for the Tables SDK that return a missing row and a lost race as values. */
import type { TableClient } from '@azure/data-tables';
import { errorCodeOf, MissingResourceError, statusOf } from '../errors.ts';
import type { Entity, EntityKeys, StoredEntity } from './entity.ts';

/** Quotes the values of a filter. Re-exported because only this folder imports values of the SDKs. */
export { odata } from '@azure/data-tables';

interface Written {
  etag?: string | undefined;
}

/** Conditions of a write. Without an ETag, the write is unconditional. */
interface Conditions {
  etag?: string;
}

/** Maximum number of actions per transaction. Source: Microsoft Learn, performing-entity-group-transactions. */
export const MAX_TRANSACTION_ACTIONS = 100;

export type StoredAction =
  | ['create', StoredEntity]
  | ['update', StoredEntity, 'Merge' | 'Replace', Conditions]
  | ['upsert', StoredEntity, 'Merge' | 'Replace']
  | ['delete', EntityKeys];

/**
 * The calls of a table that the ledger, gate and key store use. A `TableClient` has them too, but also accepts entities
 * that `toEntity` has not typed.
 */
export interface Table {
  readonly tableName: string;
  /** Address of the account's table service. */
  readonly url: string;
  getEntity(partitionKey: string, rowKey: string): Promise<Record<string, unknown>>;
  createEntity(entity: StoredEntity): Promise<Written>;
  updateEntity(entity: StoredEntity, mode: 'Merge' | 'Replace', options?: Conditions): Promise<Written>;
  upsertEntity(entity: StoredEntity, mode: 'Merge' | 'Replace'): Promise<Written>;
  deleteEntity(partitionKey: string, rowKey: string, options?: Conditions): Promise<unknown>;
  listEntities(options: { queryOptions: { filter: string } }): AsyncIterable<Record<string, unknown>>;
  submitTransaction(actions: StoredAction[]): Promise<{ subResponses: Written[] }>;
}

/** Opens the table of a client. If it does not exist, errors contain its name, which the SDK's own errors do not. */
export function openTable(client: TableClient): Table {
  const { tableName, url } = client;
  const named = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      throw nameTable(client, error);
    }
  };
  return {
    tableName,
    url,
    getEntity: (...keys) => named(client.getEntity(...keys)),
    createEntity: (entity) => named(client.createEntity(entity)),
    updateEntity: (...args) => named(client.updateEntity(...args)),
    upsertEntity: (...args) => named(client.upsertEntity(...args)),
    deleteEntity: (...args) => named(client.deleteEntity(...args)),
    submitTransaction: (actions) => named(client.submitTransaction(actions)),
    listEntities: async function* (options) {
      try {
        yield* client.listEntities(options);
      } catch (error) {
        throw nameTable(client, error);
      }
    },
  };
}

const nameTable = ({ tableName, url }: TableClient, error: unknown): unknown =>
  errorCodeOf(error) === 'TableNotFound'
    ? new MissingResourceError(`table ${tableName}`, { service: url, cause: error })
    : error;

/** Returns the entity, or undefined if it does not exist. */
export async function readEntity(table: Table, partitionKey: string, rowKey: string): Promise<Entity | undefined> {
  try {
    return (await table.getEntity(partitionKey, rowKey)) as Entity;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/**
 * Runs a conditional write. Returns true if it took effect, false if another writer was faster (409, 412, or the row is
 * gone).
 */
export async function wins(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (isLostRace(error)) return false;
    throw error;
  }
}

/** Whether a conditional write failed because the row was changed or deleted after it was read. */
export const isLostRace = (error: unknown): boolean =>
  statusOf(error) === 412 || errorCodeOf(error) === 'EntityAlreadyExists' || isGone(error);

/** Whether the entity does not exist. A 404 for the table is a fault: as a lost race, it would be retried forever. */
const isGone = (error: unknown): boolean =>
  statusOf(error) === 404 && ['ResourceNotFound', 'EntityNotFound'].includes(errorCodeOf(error) ?? '');

/** Deletes an entity. Succeeds also if it is already deleted. */
export async function deleteEntity(table: Table, partitionKey: string, rowKey: string): Promise<void> {
  try {
    await table.deleteEntity(partitionKey, rowKey);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** Yields all entities that match an OData filter built by the SDK's `odata`. A page of 1,000 is one operation. */
export async function* queryEntities(table: Table, filter: string): AsyncGenerator<Entity> {
  for await (const entity of table.listEntities({ queryOptions: { filter } })) yield entity as Entity;
}
