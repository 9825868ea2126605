/** Listings of batches: index rows for what has ended, and the live rows of the others. */

import { batchDate } from '../contract/names.ts';
import { inParallel } from '../parallel.ts';
import type { Table } from '../storage/table.ts';
import { type BatchRow, type BatchState, isFinished, pendingItems } from './batch-row.ts';
import { batchesOfDay, type IndexEntry, listedTimes } from './index-rows.ts';
import { readBatch } from './ledger.ts';
import { openBatches } from './open-rows.ts';
import { matchesSearch } from './search.ts';

/** What is asked for. `days` are looked at in their order. */
export interface ListingQuery {
  days: readonly string[];
  limit: number;
  after?: string | undefined;
  workload?: string | undefined;
  state?: BatchState | undefined;
  /** All of them must be the batch's; default: any batch. */
  labels?: readonly (readonly [key: string, value: string])[];
  /** As `matchesSearch` compares it. */
  search?: string | undefined;
}

/** A batch of a listing, as it is now. */
export type ListedBatch = Omit<IndexEntry, 'spent'> & Pick<BatchRow, 'paused' | 'atRiskAt'> & { pending: number };

/**
 * `next` is the id to go on after; undefined when the days have no more. `lookedAt` counts the batches from the first one
 * to the last one that was compared with the query, and has the id of that one: the page that follows goes on behind it.
 */
export interface Listing {
  batches: ListedBatch[];
  next: string | undefined;
  lookedAt: { count: number; last: string | undefined };
}

/** Index rows that one listing looks at: a filter that fits few must not search without end. */
const MAX_LOOKED_AT = 2_000;
const ROWS_AT_ONCE = 50;
const READS_AT_ONCE = 16;

/** Lists batches, newest first. A batch is read itself if it is open, since its index row says how it was accepted. */
export async function listBatchesOf(table: Table, query: ListingQuery): Promise<Listing> {
  const open = await openIds(table);
  const batches: ListedBatch[] = [];
  let lookedAt: Listing['lookedAt'] = { count: 0, last: undefined };
  for await (const group of inGroups(candidates(table, query), ROWS_AT_ONCE)) {
    const wanted = group.filter((entry) => mayFit(entry, query, open.has(entry.id)));
    const listed = await inParallel(wanted, READS_AT_ONCE, (entry) => refresh(table, entry, open.has(entry.id)));
    batches.push(...listed.filter((batch) => batch !== undefined).filter((batch) => fits(batch, query)));
    if (batches.length >= query.limit) {
      const page = batches.slice(0, query.limit);
      const last = page.at(-1)?.id;
      const count = lookedAt.count + group.findIndex(({ id }) => id === last) + 1;
      return { batches: page, next: last, lookedAt: { count, last } };
    }
    lookedAt = { count: lookedAt.count + group.length, last: group.at(-1)?.id };
    if (lookedAt.count >= MAX_LOOKED_AT) return { batches, next: lookedAt.last, lookedAt };
  }
  return { batches, next: undefined, lookedAt };
}

/** Ids of the batches that may still change, or of those of one workload. */
export async function openIds(table: Table, workload?: string): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const { id } of openBatches(table, workload)) ids.add(id);
  return ids;
}

async function* candidates(table: Table, { days, after }: ListingQuery): AsyncGenerator<IndexEntry> {
  for (const day of days) {
    // In another day's partition the row key of `after` means nothing.
    yield* batchesOfDay(table, day, after !== undefined && batchDate(after) === day ? after : undefined);
  }
}

/** What its index row is enough to rule out. */
const mayFit = (entry: IndexEntry, query: ListingQuery, open: boolean): boolean =>
  (query.workload === undefined || entry.workload === query.workload) &&
  hasLabels(entry, query) &&
  (query.search === undefined || matchesSearch(entry, query.search)) &&
  (open || !isFinished(entry.state) || query.state === undefined || entry.state === query.state);

/** Labels never change, so those of the index row are always current. */
const hasLabels = ({ labels = {} }: IndexEntry, { labels: asked = [] }: ListingQuery): boolean =>
  asked.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);

const fits = (batch: ListedBatch, { state }: ListingQuery): boolean => state === undefined || batch.state === state;

/** undefined: its acceptance has not come to pass (yet), or it has been deleted meanwhile. */
async function refresh(table: Table, entry: IndexEntry, open: boolean): Promise<ListedBatch | undefined> {
  const { spent: _spent, ...known } = entry;
  if (!open && isFinished(entry.state)) return { ...known, pending: 0 };
  const found = await readBatch(table, entry.id);
  if (!found) return undefined;
  const { state, dead, discarded, causes, paused, atRiskAt } = found.row;
  const now = { state, dead, discarded, causes, paused, atRiskAt, pending: pendingItems(found.row) };
  return { ...known, ...listedTimes(found.row), ...now };
}

async function* inGroups<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let group: T[] = [];
  for await (const item of items) {
    if (group.push(item) < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
