/** Idempotency keys: the first use of a key fixes the batch id for all later uses. */
import { createHash } from 'node:crypto';
import { newBatchId } from '../contract/names.ts';
import { DAY_MS } from '../days.ts';
import { Problem } from '../errors.ts';
import { type Entity, fromEntity, type StoredEntity, toEntity } from '../storage/entity.ts';
import { defineRow, optional, type RowOf, text } from '../storage/row.ts';
import { odata, queryEntities, readEntity, type Table, wins } from '../storage/table.ts';
import { writeRow } from '../storage/write-row.ts';

/** How long a key is stored, unless it is kept with its batch. */
export const KEY_DAYS = 7;
/** Maximum length of a client's key. */
export const MAX_KEY = 255;
/** An upload that has not renewed its claim for this long counts as dead, and its key may be used again. */
const CLAIM_MS = 60_000;
/** The row key of all rows of keys and contents. */
export const ROW = 'key';

/** The row of a key or a content. An upload that has ended has no claim, and a claim no digest. */
export const KEY = defineRow('key', {
  batch: text(''),
  claimedUntil: text(''),
  expiresAt: text(''),
  digest: optional(text()),
});

/** A key that this upload holds. `digest` is present if an earlier upload has finished: then the contents are only compared. */
export interface Claim {
  batch: string;
  keyRow: string;
  digest?: string | undefined;
  /** Whether an earlier upload has claimed the key and may have left a part of its work. */
  repeated: boolean;
}

/** Whether `key` may be a client's key: 1 to 255 printable ASCII characters, not only spaces. */
export const isIdempotencyKey = (key: string): boolean =>
  key.length <= MAX_KEY && /^[\x20-\x7e]+$/.test(key) && key.trim() !== '';

/** Computes the row of a key. Keys come from clients, so they are hashed before they become a row key. */
export const keyRowOf = (workload: string, key: string): string =>
  createHash('sha256').update(`${workload}\n${key}`).digest('hex');

/**
 * Claims a key for an upload.
 * @throws Problem 'upload-in-progress' while another upload holds it.
 */
export async function claimKey(table: Table, keyRow: string, nowMs: number): Promise<Claim> {
  const fresh = { batch: newBatchId(nowMs), ...until(nowMs), ...expiry(nowMs) };
  if (await wins(table.createEntity(toKeyEntity(keyRow, fresh))))
    return { batch: fresh.batch, keyRow, repeated: false };
  const entity = await readEntity(table, keyRow, ROW);
  if (!entity) throw inProgress();
  const { batch, claimedUntil, expiresAt, digest } = fromEntity(KEY, entity);
  // This is our own row, and only the response was lost: the id was generated above.
  if (batch === fresh.batch) return { batch, keyRow, repeated: false };
  if (Date.parse(expiresAt) <= nowMs) return replace(table, entity, fresh);
  if (digest !== undefined) return { batch, keyRow, digest, repeated: true };
  if (Date.parse(claimedUntil) > nowMs) throw inProgress();
  return replace(table, entity, { ...fresh, batch });
}

export const toKeyEntity = (keyRow: string, columns: Partial<RowOf<typeof KEY>>): StoredEntity =>
  toEntity(KEY, { partitionKey: keyRow, rowKey: ROW }, columns);

async function replace(
  table: Table,
  { partitionKey: keyRow, etag }: Entity,
  next: Partial<RowOf<typeof KEY>> & Pick<Claim, 'batch'>,
): Promise<Claim> {
  if ((await writeRow(table, toKeyEntity(keyRow, next), etag)) === undefined) throw inProgress();
  return { batch: next.batch, keyRow, repeated: true };
}

const until = (nowMs: number) => ({ claimedUntil: new Date(nowMs + CLAIM_MS).toISOString() });
export const expiry = (nowMs: number) => ({ expiresAt: new Date(nowMs + KEY_DAYS * DAY_MS).toISOString() });
const inProgress = (): Problem =>
  new Problem('upload-in-progress', 'Another upload with this idempotency key is under way. Try again in a minute.');

/** Renews the claim of an upload that is still coming in. */
export const renewClaim = async (table: Table, keyRow: string, nowMs: number): Promise<void> => {
  await table.updateEntity(toKeyEntity(keyRow, until(nowMs)), 'Merge');
};

/** Releases the claim: the upload was refused, and a corrected one may use the key immediately. */
export const releaseClaim = async (table: Table, keyRow: string): Promise<void> => {
  await table.updateEntity(toKeyEntity(keyRow, { claimedUntil: new Date(0).toISOString() }), 'Merge');
};

/** The last day that the service can store: the chores never delete such a row, only the deletion of its batch does. */
const NEVER = '9999-12-31T00:00:00.000Z';

/** Records the content of the key. With `keeps`, the key stays until its batch is deleted instead of seven days. */
export const finishKey = async (table: Table, keyRow: string, digest: string, keeps = false): Promise<void> => {
  const kept = keeps ? { expiresAt: NEVER } : {};
  await table.updateEntity(toKeyEntity(keyRow, { digest, ...kept }), 'Merge');
};

/** Frees the key of a batch, unless it has expired meanwhile and stands for another one. */
export async function freeKey(table: Table, keyRow: string, batch: string): Promise<void> {
  const found = await readEntity(table, keyRow, ROW);
  if (found?.batch === batch) await wins(table.deleteEntity(keyRow, ROW, { etag: found.etag }));
}

/** Returns expired keys; scans the whole table. */
export const expiredKeys = (table: Table, nowMs: number): AsyncGenerator<Entity> =>
  queryEntities(table, odata`expiresAt lt ${new Date(nowMs).toISOString()}`);
