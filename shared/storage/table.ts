/** Small helpers over the Tables SDK: absent is a value, and so is a lost race. */
import type { TableClient } from '@azure/data-tables';
import { errorCodeOf, MissingResourceError, statusOf } from '../errors.ts';
import type { Entity, EntityKeys, StoredEntity } from './entity.ts';

/** Quotes the values of a filter. Of the SDKs, everything that is not a type comes from this folder. */
export { odata } from '@azure/data-tables';

/** What a write answers with. */
interface Written {
  etag?: string | undefined;
}

/** Conditions of a write; without an ETag it takes place whatever the row is. */
interface Conditions {
  etag?: string;
}

/** Most actions of a transaction (learn: rest/api/storageservices/performing-entity-group-transactions). */
export const MAX_TRANSACTION_ACTIONS = 100;

/** A step of a transaction. */
export type StoredAction =
  | ['create', StoredEntity]
  | ['update', StoredEntity, 'Merge' | 'Replace', Conditions]
  | ['upsert', StoredEntity, 'Merge' | 'Replace']
  | ['delete', EntityKeys];

/** What the ledger, gate and key store need of a table. A `TableClient` is one, but for entities that `toEntity` has not typed. */
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

/** The table of a client, whose errors name it when it does not exist: the SDK's own say only that "the table" does not. */
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

/** The entity, or undefined when there is none. */
export async function readEntity(table: Table, partitionKey: string, rowKey: string): Promise<Entity | undefined> {
  try {
    return (await table.getEntity(partitionKey, rowKey)) as Entity;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** Runs a conditional write: true when it took effect, false when somebody was faster (409, 412, or the row is gone). */
export async function wins(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (isLostRace(error)) return false;
    throw error;
  }
}

/** Whether a conditional write failed because the row is not (any more) as it was read. */
export const isLostRace = (error: unknown): boolean =>
  statusOf(error) === 412 || errorCodeOf(error) === 'EntityAlreadyExists' || isGone(error);

/** Whether the entity is not there. A 404 of the table itself is a fault: taken for a lost race it would be retried forever. */
const isGone = (error: unknown): boolean =>
  statusOf(error) === 404 && ['ResourceNotFound', 'EntityNotFound'].includes(errorCodeOf(error) ?? '');

/** Deletes an entity; that it is gone already is fine. */
export async function deleteEntity(table: Table, partitionKey: string, rowKey: string): Promise<void> {
  try {
    await table.deleteEntity(partitionKey, rowKey);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** All entities that match an OData filter built by the SDK's `odata`; a page of 1,000 is one operation. */
export async function* queryEntities(table: Table, filter: string): AsyncGenerator<Entity> {
  for await (const entity of table.listEntities({ queryOptions: { filter } })) yield entity as Entity;
}
