/**
 * What earlier drains of a queue have spent: one row per eleven drains, in the table of the gates, so that a
 * receipt can be read long after its drains have left their gate.
 */
import type { DrainRecord } from '../../cost/drain-spending.ts';
import { splitRecords } from '../../cost/drain-spending.ts';
import { DAY_MS } from '../../days.ts';
import { toError } from '../../errors.ts';
import { fromEntity, toEntity } from '../../storage/entity.ts';
import { deleteEntity, odata, queryEntities, type Table } from '../../storage/table.ts';
import { log } from '../../telemetry/log.ts';
import type { GateDeps } from './gate.ts';
import type { GateRow } from './gate-row.ts';

const PARTITION = 'spent';
const GENERATION_DIGITS = 10;
/** How long it is kept: as long as the history of days can be asked for (92 days), and some. */
const KEPT_DAYS = 100;
/** Drains between two looks for what is too old: they fill 94 rows at most. */
const LOOK_DRAINS = 1_024;
/** Rows that one look deletes: the drain waits for it. */
const MAX_DROPPED = 100;
/** Records that stay in a gate when they cannot be archived, some 100 characters each; older ones are lost. */
const MAX_NOT_ARCHIVED = 60;

/** Rows sort by queue, then by their latest drain. */
const rowKeyOf = (queue: string, generation: number): string =>
  `${queue}:${String(generation).padStart(GENERATION_DIGITS, '0')}`;

/**
 * Moves the records of a gate into a row of their own if they are too many, by one operation, and gives those that stay. It
 * may be repeated: until the gate is written, both have them. What cannot be archived stays for the next time, within
 * bounds: no drain ends for its receipt.
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
    await table.upsertEntity(toEntity('spent', keys, { at: new Date(now()).toISOString(), drains: old }), 'Replace');
    stays = kept;
    // The next row begins with the first that stays, so that no look falls between two rows.
    const [next = last] = kept[0] ?? [];
    if (Math.floor(first / LOOK_DRAINS) !== Math.floor(next / LOOK_DRAINS)) await dropOld(table, queue, now());
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

/** The archived records of a queue that hold drains `first` to `last`: one operation per 1,000 rows. */
export async function readArchive(
  table: Table,
  { queue, first, last }: { queue: string; first: number; last: number },
): Promise<DrainRecord[]> {
  const records: DrainRecord[] = [];
  const [from, to] = [rowKeyOf(queue, first), `${queue};`];
  const filter = odata`PartitionKey eq ${PARTITION} and RowKey ge ${from} and RowKey lt ${to}`;
  for await (const entity of queryEntities(table, filter)) {
    const drains = fromEntity('spent', entity).drains as DrainRecord[];
    records.push(...drains);
    if ((drains.at(-1)?.[0] ?? 0) >= last) break;
  }
  return records;
}

/** All records that were archived since `since`, by queue: an operation per 1,000 rows. */
export async function readAllArchives(table: Table, since: Date): Promise<Map<string, DrainRecord[]>> {
  const archives = new Map<string, DrainRecord[]>();
  const filter = odata`PartitionKey eq ${PARTITION} and at ge ${since.toISOString()}`;
  for await (const entity of queryEntities(table, filter)) {
    const queue = entity.rowKey.slice(0, -GENERATION_DIGITS - 1);
    const drains = fromEntity('spent', entity).drains as DrainRecord[];
    const all = archives.get(queue) ?? [];
    archives.set(queue, all);
    all.push(...drains);
  }
  return archives;
}
