/**
 * The daily chores of a sweep: they delete data that only uses storage. Each has a limit; the next sweep continues with
 * the rest.
 */
import { expiredKeys } from '../batches/keys.ts';
import { noteKeys } from '../batches/listing/open-rows.ts';
import { expireActions } from '../commands/audit-log.ts';
import { DAY_MS } from '../days.ts';
import { type Entity, fromEntity, toEntity } from '../storage/entity.ts';
import { defineRow, flag, text } from '../storage/row.ts';
import { wins } from '../storage/table.ts';
import { writeRow } from '../storage/write-row.ts';
import { expireBatches } from './expire-batches.ts';
import { dropOrphanPayloads } from './orphan-payloads.ts';
import { guarded, isOver, repaired, type SweepRun } from './sweep-run.ts';

/** How long finished drains are kept for inspection. */
const DRAIN_DAYS = 7;
/** How far back finished drains are searched: a drain may have been created long before it ended. */
const PURGE_WINDOW_DAYS = 37;
/** Maximum number of keys, and of entries of the audit log, that one sweep deletes: twenty transactions. */
const MAX_DELETED = 2_000;
/** Time before unfinished chores are continued: another sweep may be working on them. */
const RESUME_MS = 10 * 60_000;

/** When the chores last began, where they then started from, and whether they left some work. */
export const NOTE = defineRow('note', { at: text(''), since: text(''), left: flag(false) });

/** A chore: processes what was created since `sinceMs`, and returns whether some work is left. */
export type Chore = (run: SweepRun, sinceMs: number) => Promise<boolean>;

const CHORES: Record<string, Chore> = {
  retention: expireBatches,
  keys: deleteKeys,
  actions: deleteActions,
  drains: purgeDrains,
  payloads: dropOrphanPayloads,
};

/** Returns the name of the note for a pool: each app has its own task hub and its own workloads. */
export const choresNote = (pool: string | undefined): string => `chores.${pool ?? ''}`;

/**
 * Does the chores if a day has passed, or if the last run left some work. `note` comes with the query of the open
 * batches. It is stored there instead of beside the gates, so that an idle sweep does not need a second operation.
 */
export async function doChores(run: SweepRun, note: Entity | undefined): Promise<void> {
  const last = note && fromEntity(NOTE, note);
  if (last && run.gate.now() - Date.parse(last.at) < (last.left ? RESUME_MS : DAY_MS)) return;
  const keys = noteKeys(choresNote(run.pool));
  const at = new Date(run.gate.now()).toISOString();
  // When the last chores that were completed began.
  const since = (last?.left ? last.since : last?.at) ?? new Date(0).toISOString();
  if ((await writeRow(run.table, toEntity(NOTE, keys, { at, since, left: true }), note?.etag)) === undefined) return;
  let left = false;
  for (const [chore, work] of Object.entries(CHORES)) {
    const more = await guarded(run, { chore }, () => work(run, Date.parse(since)));
    left ||= more !== false;
  }
  await run.table.updateEntity(toEntity(NOTE, keys, { left }), 'Merge');
}

async function purgeDrains(run: SweepRun, sinceMs: number): Promise<boolean> {
  const now = run.gate.now();
  const from = sinceMs === 0 ? 0 : Math.min(sinceMs, now - PURGE_WINDOW_DAYS * DAY_MS);
  const n = await run.purgeDrains(new Date(from), new Date(now - DRAIN_DAYS * DAY_MS));
  repaired(run, 'purgedDrains', { event: 'drains-purged', n });
  return false;
}

/** Deletes expired idempotency keys. A key that is claimed again in the meantime stays. */
async function deleteKeys(run: SweepRun): Promise<boolean> {
  let n = 0;
  let left = false;
  for await (const { partitionKey, rowKey, etag } of expiredKeys(run.keys, run.gate.now())) {
    left = n === MAX_DELETED || isOver(run);
    if (left) break;
    if (await wins(run.keys.deleteEntity(partitionKey, rowKey, { etag }))) n += 1;
  }
  repaired(run, 'expiredKeys', { event: 'keys-expired', n });
  return left;
}

async function deleteActions(run: SweepRun): Promise<boolean> {
  const { n, left } = await expireActions(run.table, { nowMs: run.gate.now(), most: MAX_DELETED });
  repaired(run, 'expiredActions', { event: 'actions-expired', n });
  return left;
}
