/** Contents of uploads: which batch has the same content, for seven days. Their rows are beside those of the keys. */
import { Problem } from '../errors.ts';
import { fromEntity } from '../storage/entity.ts';
import { readEntity, type Table, wins } from '../storage/table.ts';
import { writeRow } from '../storage/write-row.ts';
import { expiry, KEY, keyRowOf, ROW, toKeyEntity } from './keys.ts';

/** Computes the row of a content (`sha256:<hex>` of the decoded upload). No key contains a line feed, so no key has this row. */
export const contentRowOf = (workload: string, digest: string): string => keyRowOf(workload, `\n${digest}`);

/**
 * Records the content of a batch for seven days. Returns the batch that already had the same content, if any. New
 * content costs one operation, known content two.
 */
export async function recordContent(
  table: Table,
  { workload, digest, batch }: { workload: string; digest: string; batch: string },
  nowMs: number,
): Promise<string | undefined> {
  const keyRow = contentRowOf(workload, digest);
  if (await wins(table.createEntity(toKeyEntity(keyRow, { batch, ...expiry(nowMs) })))) return undefined;
  const entity = await readEntity(table, keyRow, ROW);
  if (!entity) return undefined;
  const { batch: earlier, expiresAt } = fromEntity(KEY, entity);
  if (Date.parse(expiresAt) > nowMs) return earlier === batch ? undefined : earlier;
  await writeRow(table, toKeyEntity(keyRow, { batch, ...expiry(nowMs) }), entity.etag);
  return undefined;
}

/** How long an unaccepted batch claims its content: longer than a function may run (`functionTimeout`). */
export const CONTENT_CLAIM_MS = 15 * 60_000;

/**
 * Claims content for a batch that is about to be accepted. Returns the batch of the last seven days that already has
 * it, or undefined if the claim succeeded. An expired claim of a batch that was never accepted is taken over.
 * @throws Problem 'upload-in-progress' while another batch claims it and is not accepted yet.
 */
export async function claimContent(
  table: Table,
  { workload, digest, batch }: { workload: string; digest: string; batch: string },
  { nowMs, isAccepted }: { nowMs: number; isAccepted: (batch: string) => Promise<boolean> },
): Promise<string | undefined> {
  const keyRow = contentRowOf(workload, digest);
  const claimedUntil = new Date(nowMs + CONTENT_CLAIM_MS).toISOString();
  const claim = toKeyEntity(keyRow, { batch, claimedUntil, ...expiry(nowMs) });
  if (await wins(table.createEntity(claim))) return undefined;
  const entity = await readEntity(table, keyRow, ROW);
  if (!entity) throw contentInProgress();
  const { batch: earlier, claimedUntil: until, expiresAt } = fromEntity(KEY, entity);
  if (earlier !== batch && Date.parse(expiresAt) > nowMs) {
    if (await isAccepted(earlier)) return earlier;
    if (Date.parse(until) > nowMs) throw contentInProgress();
  }
  if ((await writeRow(table, claim, entity.etag)) === undefined) throw contentInProgress();
  return undefined;
}

const contentInProgress = (): Problem =>
  new Problem('upload-in-progress', 'A batch with the same content is about to be accepted. Try again in a minute.');
