/**
 * Conditional writes that recognize their own success. If a response is lost after the write took effect, the call is
 * repeated (retry-policy.ts), finds the row that it has written itself, and is refused with 409 or 412. Therefore a
 * refused write reads the row: if it equals the row to be written, the write counts as successful. Another writer may
 * have written exactly the same; then neither has anything left to do.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Entity, StoredEntity } from './entity.ts';
import { isLostRace, readEntity, type Table } from './table.ts';

/** Represents an unknown ETag: it matches no row, so the next change reads the row first. */
export const UNKNOWN_ETAG = 'W/"unknown"';

/**
 * Replaces the row that has `etag`, or creates it if there is no ETag. Returns the new ETag, or undefined if another
 * writer was faster. A refused write costs a second operation.
 */
export async function writeRow(
  table: Table,
  entity: StoredEntity,
  etag: string | undefined,
): Promise<string | undefined> {
  try {
    const written = await (etag === undefined
      ? table.createEntity(entity)
      : table.updateEntity(entity, 'Replace', { etag }));
    return written.etag ?? UNKNOWN_ETAG;
  } catch (error) {
    if (!isLostRace(error)) throw error;
    return readsAs(table, entity);
  }
}

/** Returns the ETag of the row if it equals `entity`, otherwise undefined. */
export async function readsAs(table: Table, entity: StoredEntity): Promise<string | undefined> {
  const found = await readEntity(table, entity.partitionKey, entity.rowKey);
  return found && isDeepStrictEqual(columnsOf(found), columnsOf(entity)) ? found.etag : undefined;
}

/** Columns that the service or the SDK sets. */
const FOREIGN = /^(etag|timestamp|odata\..*|.*@odata\.type)$/;

/** Returns columns by name with plain numbers: numbers are written with their type, and read as number or bigint. */
const columnsOf = (entity: Entity | StoredEntity): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(entity).flatMap(([name, value]) => (FOREIGN.test(name) ? [] : [[name, plain(value)]])),
  );

function plain(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && 'value' in value) return Number(value.value);
  return typeof value === 'bigint' ? Number(value) : value;
}
