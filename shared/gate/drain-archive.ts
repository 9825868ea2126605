/**
 * What earlier drains of a queue have spent: one row per eleven drains, in the table of the gates. So the cost of a
 * batch can be computed long after its drains have left the gate.
 */
import type { DrainRecord } from '../cost/drains/drain-spending.ts';
import { splitRecords } from '../cost/drains/drain-spending.ts';
import { DAY_MS } from '../days.ts';
import { toError } from '../errors.ts';
import { fromEntity, toEntity } from '../storage/entity.ts';
import { defineRow, json, text } from '../storage/row.ts';
import { deleteEntity, odata, queryEntities, type Table } from '../storage/table.ts';
import { log } from '../telemetry/log.ts';
import type { GateDeps } from './gate.ts';
import type { GateRow } from './gate-row.ts';

const PARTITION = 'spent';
/** What drains of a queue have spent and its gate no longer keeps. */
export const SPENT = defineRow('spent', { at: text(), drains: json<readonly DrainRecord[]>() });
const GENERATION_DIGITS = 10;
/** How long a row is kept. The history of days that can be requested has 92 days; the rest is a margin. */
const KEPT_DAYS = 100;
/** Number of drains between two checks for rows that are too old. At eleven drains per row they fill 94 rows, fewer than one check deletes. */
const DRAINS_PER_CHECK = 1_024;
/** Maximum number of rows that one check deletes, since the drain waits for it. */
const MAX_DROPPED = 100;
/**
 * Maximum number of records that stay in a gate if they cannot be archived, about 100 characters each; older ones are
 * lost.
 */
const MAX_NOT_ARCHIVED = 60;

/** Rows sort by queue, then by their latest drain. */
const rowKeyOf = (queue: string, generation: number): string =>
  `${queue}:${String(generation).padStart(GENERATION_DIGITS, '0')}`;

/**
 * If the gate has too many records, moves the old ones into a separate row with one operation, and returns those that
 * stay. May be repeated: until the gate is written, both have them. Records that cannot be archived stay for the next
 * time, up to a limit: a drain must not fail because of its cost records.
 */
export async function archiveSpent(
  { table, now }: Pick<GateDeps, 'table' | 'now'>,
  { queue, spent }: Pick<GateRow, 'queue' | 'spent'>,
): Promise<readonly DrainRecord[]> {
  const { old, kept } = splitRecords(spent);
  const [first, last] = [old[0]?.[0], old.at(-1)?.[0]];
  if (first === undefined || last === undefined) return spent;
  const keys = { partitionKey: PARTITION, rowKey: rowKeyOf(queue, last) };
  let stays: readonly DrainRecord[] = spent.slice(-MAX_NOT_ARCHIVED);
  try {
    await table.upsertEntity(toEntity(SPENT, keys, { at: new Date(now()).toISOString(), drains: old }), 'Replace');
    stays = kept;
    // The next row begins with the first record that stays, so that no check is skipped between two rows.
    const [next = last] = kept[0] ?? [];
    if (Math.floor(first / DRAINS_PER_CHECK) !== Math.floor(next / DRAINS_PER_CHECK))
      await dropOld(table, queue, now());
  } catch (error) {
    log.warn('drains-not-archived', { queue, error: toError(error) });
  }
  return stays;
}

async function dropOld(table: Table, queue: string, nowMs: number): Promise<void> {
  const [from, to] = [`${queue}:`, `${queue};`];
  const before = new Date(nowMs - KEPT_DAYS * DAY_MS).toISOString();
  const filter = odata`PartitionKey eq ${PARTITION} and RowKey ge ${from} and RowKey lt ${to} and at lt ${before}`;
  let dropped = 0;
  for await (const { rowKey } of queryEntities(table, filter)) {
    await deleteEntity(table, PARTITION, rowKey);
    dropped += 1;
    if (dropped === MAX_DROPPED) return;
  }
}

/** Returns the archived records of a queue that contain drains `first` to `last`: one operation per 1,000 rows. */
export async function readArchive(
  table: Table,
  { queue, first, last }: { queue: string; first: number; last: number },
): Promise<DrainRecord[]> {
  const records: DrainRecord[] = [];
  const [from, to] = [rowKeyOf(queue, first), `${queue};`];
  const filter = odata`PartitionKey eq ${PARTITION} and RowKey ge ${from} and RowKey lt ${to}`;
  for await (const entity of queryEntities(table, filter)) {
    const { drains } = fromEntity(SPENT, entity);
    records.push(...drains);
    if ((drains.at(-1)?.[0] ?? 0) >= last) break;
  }
  return records;
}

/** Returns all records that were archived since `since`, by queue: one operation per 1,000 rows. */
export async function readAllArchives(table: Table, since: Date): Promise<Map<string, DrainRecord[]>> {
  const archives = new Map<string, DrainRecord[]>();
  const filter = odata`PartitionKey eq ${PARTITION} and at ge ${since.toISOString()}`;
  for await (const entity of queryEntities(table, filter)) {
    const queue = entity.rowKey.slice(0, -GENERATION_DIGITS - 1);
    const { drains } = fromEntity(SPENT, entity);
    const all = archives.get(queue) ?? [];
    archives.set(queue, all);
    all.push(...drains);
  }
  return archives;
}
