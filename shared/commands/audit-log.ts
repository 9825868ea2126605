/**
 * The audit log, in the table of the batches: partition `audit`, one row per operator action, newest first. A row is
 * written after the action, so an action whose process died has no row.
 */
import { DAY_MS } from '../days.ts';
import { groupsOf } from '../groups-of.ts';
import { type EntityKeys, fromEntity, toEntity } from '../storage/entity.ts';
import { defineRow, flag, int32, type RowOf, text } from '../storage/row.ts';
import { MAX_TRANSACTION_ACTIONS, odata, queryEntities, type Table, wins } from '../storage/table.ts';

export const ACTION = defineRow('action', {
  /** ISO 8601, by the clock of the service. */
  at: text(),
  action: text(),
  /** Queue, batch or file; empty if there is none. */
  target: text(),
  /** Empty if not known. */
  by: text(),
  /** Whether Microsoft Entra ID has authenticated `by`. */
  verified: flag(),
  detail: text(),
  status: int32(),
});
export type OperatorAction = RowOf<typeof ACTION>;

/**
 * Days (UTC, both included), and the actions to return. `target` is compared with that of the action. `actions` are at
 * most ten names, since a filter can have 15 comparisons (source: Microsoft Learn, querying tables and entities); it
 * defaults to all. `after` is `next` of an earlier answer.
 */
export interface ActionFilter {
  from: string;
  to: string;
  target?: string | undefined;
  actions?: readonly string[];
  after?: string | undefined;
  limit: number;
}

const AUDIT = 'audit';
/** Row keys have the same length until the year 2286. */
const LAST_MS = 9_999_999_999_999;
const MS_DIGITS = 13;
/** Sorts after everything that follows the time in a row key. */
const BEHIND = '~';
export const ACTION_DAYS = 90;

/** Row keys: a time, and the id of an invocation. */
const PLACE = /^\d{13}\.[\w-]{1,64}$/;

/** Whether a text may be `next` of an answer. */
export const isPlaceInLog = (text: string): boolean => PLACE.test(text);

const newestFirst = (ms: number): string => String(LAST_MS - ms).padStart(MS_DIGITS, '0');

/** Records an action. `invocation` distinguishes it from others of the same millisecond. Costs one operation. */
export async function recordAction(table: Table, action: OperatorAction, invocation: string): Promise<void> {
  const keys = { partitionKey: AUDIT, rowKey: `${newestFirst(Date.parse(action.at))}.${invocation}` };
  // If the response of the first try was lost, the SDK's retry is refused; no other action has this key.
  await wins(table.createEntity(toEntity(ACTION, keys, action)));
}

/**
 * Reads the newest actions of the days, newest first. `next` is where to continue; undefined if there are no more. Costs one
 * operation per 1,000 actions.
 */
export async function readActions(
  table: Table,
  { from, to, target, actions: names = [], after, limit }: ActionFilter,
): Promise<{ actions: OperatorAction[]; next: string | undefined }> {
  const newest = newestFirst(Date.parse(to) + DAY_MS - 1);
  const oldest = `${newestFirst(Date.parse(from))}${BEHIND}`;
  const days = odata`PartitionKey eq ${AUDIT} and RowKey ge ${newest} and RowKey lt ${oldest}`;
  const rest = after === undefined ? days : `${days} and ${odata`RowKey gt ${after}`}`;
  const ofTarget = target === undefined ? rest : `${rest} and ${odata`target eq ${target}`}`;
  const named = names.map((name) => odata`action eq ${name}`).join(' or ');
  const filter = named === '' ? ofTarget : `${ofTarget} and (${named})`;
  const actions: OperatorAction[] = [];
  let last: string | undefined;
  for await (const entity of queryEntities(table, filter)) {
    if (actions.length === limit) return { actions, next: last };
    actions.push(fromEntity(ACTION, entity));
    last = entity.rowKey;
  }
  return { actions, next: undefined };
}

/** Deletes expired actions, at most `most`. Returns how many it has deleted, and whether some are left. */
export async function expireActions(
  table: Table,
  { nowMs, most }: { nowMs: number; most: number },
): Promise<{ n: number; left: boolean }> {
  const newest = newestFirst(nowMs - ACTION_DAYS * DAY_MS);
  const expired = odata`PartitionKey eq ${AUDIT} and RowKey ge ${newest}`;
  const keys: EntityKeys[] = [];
  for await (const { partitionKey, rowKey } of queryEntities(table, expired))
    if (keys.push({ partitionKey, rowKey }) > most) break;
  let n = 0;
  for (const group of groupsOf(keys.slice(0, most), MAX_TRANSACTION_ACTIONS)) {
    // The sweep of another pool may have deleted the same rows. The next sweep deletes the rest.
    const won = await wins(table.submitTransaction(group.map((each) => ['delete', each])));
    if (!won) return { n, left: true };
    n += group.length;
  }
  return { n, left: keys.length > most };
}
