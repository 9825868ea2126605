/** What a sweep does once a day: things that only cost room. Each is bounded; what is left comes with the next sweep. */
import { noteKeys } from '../batches/listing/open-rows.ts';
import { DAY_MS } from '../days.ts';
import { type Entity, fromEntity, toEntity } from '../storage/entity.ts';
import { writeRow } from '../storage/write-row.ts';
import { expireActions } from './expire-actions.ts';
import { expireBatches } from './expire-batches.ts';
import { expireKeys } from './expire-keys.ts';
import { dropOrphanPayloads } from './orphan-payloads.ts';
import { guarded, repaired, type SweepRun } from './run.ts';

/** Finished drains are kept this long, for whoever looks into them. */
const DRAIN_DAYS = 7;
/** How far back finished drains are looked for: a drain may have been made long before it ended. */
const PURGE_WINDOW_DAYS = 37;
/** Before chores that were not finished are gone on with: another sweep may be at them. */
const RESUME_MS = 10 * 60_000;

/** A chore: does its work since `sinceMs`, and says whether some of it is left. */
export type Chore = (run: SweepRun, sinceMs: number) => Promise<boolean>;

const CHORES: Record<string, Chore> = {
  retention: expireBatches,
  keys: expireKeys,
  actions: expireActions,
  drains: purgeDrains,
  payloads: dropOrphanPayloads,
};

/** Of which pool the chores are: each app has its own task hub, and its own workloads. */
export const choresNote = (pool: string | undefined): string => `chores.${pool ?? ''}`;

/**
 * Does the chores if a day has passed, or if the last time left some. `note` came with the query of the open batches:
 * that is why it lies there and not beside the gates, where asking would cost an idle sweep a second operation.
 */
export async function doChores(run: SweepRun, note: Entity | undefined): Promise<void> {
  if (note && !isDue(run, note)) return;
  const sinceMs = note ? sinceOf(note) : 0;
  const keys = noteKeys(choresNote(run.pool));
  const at = new Date(run.gate.now()).toISOString();
  const mine = toEntity('note', keys, { at, since: new Date(sinceMs).toISOString(), left: true });
  if ((await writeRow(run.table, mine, note?.etag)) === undefined) return;
  let left = false;
  for (const [chore, work] of Object.entries(CHORES)) {
    const more = await guarded(run, { chore }, () => work(run, sinceMs));
    left ||= more !== false;
  }
  await run.table.updateEntity(toEntity('note', keys, { left }), 'Merge');
}

/** From when on the chores look: where the last ones began that came to their end. */
function sinceOf(note: Entity): number {
  const { at = '', since = '', left } = fromEntity('note', note);
  return Date.parse(left === true ? since : at);
}

function isDue(run: SweepRun, note: Entity): boolean {
  const { at = '', left } = fromEntity('note', note);
  const ageMs = run.gate.now() - Date.parse(at);
  return ageMs >= DAY_MS || (left === true && ageMs >= RESUME_MS);
}

async function purgeDrains(run: SweepRun, sinceMs: number): Promise<boolean> {
  const now = run.gate.now();
  const from = sinceMs === 0 ? 0 : Math.min(sinceMs, now - PURGE_WINDOW_DAYS * DAY_MS);
  const n = await run.purgeDrains(new Date(from), new Date(now - DRAIN_DAYS * DAY_MS));
  repaired(run, 'purgedDrains', { event: 'drains-purged', n });
  return false;
}
