/** Idempotency keys: the first use of a key fixes the batch id for all later uses. */
import { createHash } from 'node:crypto';
import { newBatchId } from '../contract/names.ts';
import { DAY_MS } from '../days.ts';
import { BatchGoneError, Problem } from '../errors.ts';
import { type Entity, fromEntity, type StoredEntity, toEntity } from '../storage/entity.ts';
import { LOST_RACE, retryLostRace } from '../storage/lost-race.ts';
import { defineRow, int32, optional, type RowOf, text } from '../storage/row.ts';
import { isLostRace, odata, queryEntities, readEntity, type Table, wins } from '../storage/table.ts';
import { UNKNOWN_ETAG, writeRow } from '../storage/write-row.ts';

/** How long a key is stored, unless it is kept with its batch. */
export const KEY_DAYS = 7;
/** Maximum length of a client's key. */
export const MAX_KEY = 255;
/** An upload that has not renewed its claim for this long counts as dead, and its key may be used again. */
const CLAIM_MS = 60_000;
export const ROW = 'key';

/** The row of a key or a content. An upload that has ended has no claim, and a claim no digest. */
export const KEY = defineRow('key', {
  batch: text(''),
  claimedUntil: text(''),
  expiresAt: text(''),
  digest: optional(text()),
  /** Starts of uploads that neither finished nor released the key. */
  starts: int32(1),
});

/** A key that this upload holds. `digest` is present if an earlier upload has finished: then the contents are only compared. */
export interface Claim {
  batch: string;
  keyRow: string;
  digest?: string | undefined;
  /** Whether an earlier upload has claimed the key and may have left a part of its work. */
  repeated: boolean;
  /** ETag of the row as this upload has written it last. */
  etag: string;
  /** Number of uploads in a row with this key, including this one, that have neither finished nor released it. */
  starts: number;
}

/** Whether `key` may be a client's key: 1 to 255 printable ASCII characters, not only spaces. */
export const isIdempotencyKey = (key: string): boolean =>
  key.length <= MAX_KEY && /^[\x20-\x7e]+$/.test(key) && key.trim() !== '';

/** Computes the row of a key. Keys come from clients, so they are hashed before they become a row key. */
export const keyRowOf = (workload: string, key: string): string =>
  createHash('sha256').update(`${workload}\n${key}`).digest('hex');

/**
 * Claims a key for an upload.
 * @param check called before a key that an earlier upload has left is claimed again, with the number of starts including
 * this one; throws to prevent that
 * @throws Problem 'upload-in-progress' while another upload holds it.
 */
export async function claimKey(
  table: Table,
  keyRow: string,
  { nowMs, check = () => {} }: { nowMs: number; check?: (starts: number) => void },
): Promise<Claim> {
  const fresh = { batch: newBatchId(nowMs), ...until(nowMs), ...expiry(nowMs), starts: 1 };
  const etag = await written(table.createEntity(toKeyEntity(keyRow, fresh)));
  if (etag !== undefined) return { batch: fresh.batch, keyRow, repeated: false, etag, starts: 1 };
  const entity = await readEntity(table, keyRow, ROW);
  if (!entity) throw inProgress();
  const { batch, claimedUntil, expiresAt, digest, starts } = fromEntity(KEY, entity);
  const held = { batch, keyRow, etag: entity.etag, starts };
  // This is our own row, and only the response was lost: the id was generated above.
  if (batch === fresh.batch) return { ...held, repeated: false };
  if (Date.parse(expiresAt) <= nowMs) return replace(table, entity, fresh);
  if (digest !== undefined) return { ...held, digest, repeated: true };
  if (Date.parse(claimedUntil) > nowMs) throw inProgress();
  check(starts + 1);
  return replace(table, entity, { ...fresh, batch, starts: starts + 1 });
}

/** Returns the new ETag of a row, or undefined if another writer was faster. */
async function written(write: Promise<{ etag?: string | undefined }>): Promise<string | undefined> {
  try {
    return (await write).etag ?? UNKNOWN_ETAG;
  } catch (error) {
    if (isLostRace(error)) return undefined;
    throw error;
  }
}

export const toKeyEntity = (keyRow: string, columns: Partial<RowOf<typeof KEY>>): StoredEntity =>
  toEntity(KEY, { partitionKey: keyRow, rowKey: ROW }, columns);

async function replace(
  table: Table,
  { partitionKey: keyRow, etag }: Entity,
  next: Partial<RowOf<typeof KEY>> & Pick<Claim, 'batch' | 'starts'>,
): Promise<Claim> {
  const replaced = await writeRow(table, toKeyEntity(keyRow, next), etag);
  if (replaced === undefined) throw inProgress();
  return { batch: next.batch, keyRow, repeated: true, etag: replaced, starts: next.starts };
}

/** Changes the row of a claim, and sets its new ETag. Returns false if the key is no longer held by this claim. */
async function change(table: Table, claim: Claim, columns: Partial<RowOf<typeof KEY>>): Promise<boolean> {
  const entity = toKeyEntity(claim.keyRow, columns);
  const etag = await written(table.updateEntity(entity, 'Merge', { etag: claim.etag }));
  if (etag !== undefined) claim.etag = etag;
  return etag !== undefined;
}

const until = (nowMs: number) => ({ claimedUntil: new Date(nowMs + CLAIM_MS).toISOString() });
export const expiry = (nowMs: number) => ({ expiresAt: new Date(nowMs + KEY_DAYS * DAY_MS).toISOString() });
const inProgress = (): Problem =>
  new Problem('upload-in-progress', 'Another upload with this idempotency key is under way. Try again in a minute.');

/** Renews the claim of an upload that is still coming in, unless another upload has taken the key over. */
export async function renewClaim(table: Table, claim: Claim, nowMs: number): Promise<void> {
  const { starts } = claim;
  const renewed = { ...until(nowMs), starts };
  if (await change(table, claim, renewed)) return;
  const found = await readEntity(table, claim.keyRow, ROW);
  // If only the response was lost, the row is still ours.
  if (found?.batch === claim.batch && found.claimedUntil === renewed.claimedUntil) claim.etag = found.etag;
}

/**
 * Releases the claim: the upload was refused or failed, and another one may use the key immediately. `starts` is the
 * number that counts for the next one; default 0, since this process has survived.
 */
export const releaseClaim = async (table: Table, claim: Claim, starts = 0): Promise<void> => {
  await change(table, claim, { claimedUntil: new Date(0).toISOString(), starts });
};

/** The last day that the service can store: the chores never delete such a row, only the deletion of its batch does. */
const NEVER = '9999-12-31T00:00:00.000Z';

/**
 * Records the content of the key. With `keeps`, the key stays until its batch is deleted instead of seven days.
 * @throws BatchGoneError if the key no longer stands for the batch: another upload with the same key was accepted first,
 * and its batch has been deleted since.
 */
export const recordKeyContent = (
  table: Table,
  claim: Claim,
  { digest, keeps = false }: { digest: string; keeps?: boolean | undefined },
): Promise<void> =>
  retryLostRace(`key of batch ${claim.batch}`, async () => {
    const kept = keeps ? { expiresAt: NEVER } : {};
    if (await change(table, claim, { digest, ...kept })) return;
    const found = await readEntity(table, claim.keyRow, ROW);
    if (found?.batch !== claim.batch) throw new BatchGoneError(claim.batch, { isBeingDeleted: false });
    claim.etag = found.etag;
    return LOST_RACE;
  });

/** Frees the key of a batch, unless it has expired meanwhile and stands for another one. */
export async function freeKey(table: Table, keyRow: string, batch: string): Promise<void> {
  const found = await readEntity(table, keyRow, ROW);
  if (found?.batch === batch) await wins(table.deleteEntity(keyRow, ROW, { etag: found.etag }));
}

/** Returns expired keys; scans the whole table. */
export const expiredKeys = (table: Table, nowMs: number): AsyncGenerator<Entity> =>
  queryEntities(table, odata`expiresAt lt ${new Date(nowMs).toISOString()}`);
