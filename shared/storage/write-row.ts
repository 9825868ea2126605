/**
 * Conditional writes that know their own success. When an answer is lost after its effect, the call is repeated
 * (retry-policy.ts), meets the row that it has written itself, and is refused with 409 or 412. So a refused write looks at
 * the row: one that reads as it was to be written counts as written. It may have been written by somebody else who wanted
 * exactly the same; then it says what both wanted, and neither has anything left to do.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Entity, StoredEntity } from './entity.ts';
import { isLostRace, readEntity, type Table } from './table.ts';

/** Stands for an ETag that is not known: it matches no row, so that the next change reads it first. */
export const UNKNOWN_ETAG = 'W/"unknown"';

/**
 * Replaces the row that has `etag`, or creates it when there is none. Gives the new ETag, or undefined when somebody else
 * was faster. A refused write costs a second operation.
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

/** The ETag of the row if it reads exactly as `entity`, else undefined. */
export async function readsAs(table: Table, entity: StoredEntity): Promise<string | undefined> {
  const found = await readEntity(table, entity.partitionKey, entity.rowKey);
  return found && isDeepStrictEqual(columnsOf(found), columnsOf(entity)) ? found.etag : undefined;
}

/** Set by the service or the SDK. */
const FOREIGN = /^(etag|timestamp|odata\..*|.*@odata\.type)$/;

/** Columns by name, numbers as plain ones: they are written with their type, and read as number or bigint. */
const columnsOf = (entity: Entity | StoredEntity): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(entity).flatMap(([name, value]) => (FOREIGN.test(name) ? [] : [[name, plain(value)]])),
  );

function plain(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && 'value' in value) return Number(value.value);
  return typeof value === 'bigint' ? Number(value) : value;
}
