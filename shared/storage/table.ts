/** Small helpers over the Tables SDK: absent is a value, and so is a lost race. */
import type { TableClient } from '@azure/data-tables';
import { statusOf } from '../errors.ts';

/** What the ledger, gate and key store need of a table. */
export type Table = Pick<
  TableClient,
  'getEntity' | 'createEntity' | 'updateEntity' | 'upsertEntity' | 'deleteEntity' | 'listEntities' | 'submitTransaction'
>;

/** An entity as read: any columns, with its ETag. */
export type Entity = Record<string, unknown> & { etag: string; partitionKey: string; rowKey: string };

/** The entity, or undefined when there is none. */
export async function readEntity(table: Table, partitionKey: string, rowKey: string): Promise<Entity | undefined> {
  try {
    return (await table.getEntity(partitionKey, rowKey)) as unknown as Entity;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
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
export const isLostRace = (error: unknown): boolean => [404, 409, 412].includes(statusOf(error) ?? 0);

/** Deletes an entity; that it is gone already is fine. */
export async function deleteEntity(table: Table, partitionKey: string, rowKey: string): Promise<void> {
  try {
    await table.deleteEntity(partitionKey, rowKey);
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
  }
}

/** All entities that match an OData filter built by the SDK's `odata`; a page of 1,000 is one operation. */
export async function* queryEntities(table: Table, filter: string): AsyncGenerator<Entity> {
  for await (const entity of table.listEntities({ queryOptions: { filter } })) yield entity as unknown as Entity;
}
