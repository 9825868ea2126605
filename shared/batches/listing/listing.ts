/** Listings of batches: the lines of those that have ended, and the rows of the others, which partition `open` names. */

import { batchDate } from '../../contract/names.ts';
import { inParallel } from '../../parallel.ts';
import type { Table } from '../../storage/table.ts';
import { type BatchRow, type BatchState, isFinished, pendingItems } from '../batch-row.ts';
import { readBatch } from '../ledger.ts';
import { batchesOfDay, type IndexEntry, indexEntryOf } from './index-rows.ts';
import { type OpenBatch, openBatches } from './open-rows.ts';
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

/** Lists batches, newest first. A batch is read itself if it is open, since its line says how its last revision ended. */
export async function listBatchesOf(table: Table, query: ListingQuery): Promise<Listing> {
  const open = new Map<string, OpenBatch>();
  for await (const each of openBatches(table)) open.set(each.id, each);
  const batches: ListedBatch[] = [];
  let lookedAt: Listing['lookedAt'] = { count: 0, last: undefined };
  for await (const group of inGroups(candidates(table, query, open), ROWS_AT_ONCE)) {
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

/** A line, or a batch that has none yet. */
type Candidate = IndexEntry | OpenBatch;

const isLine = (candidate: Candidate): candidate is IndexEntry => 'state' in candidate;

async function* candidates(
  table: Table,
  { days, after }: ListingQuery,
  open: ReadonlyMap<string, OpenBatch>,
): AsyncGenerator<Candidate> {
  for (const day of days) {
    // In another day's partition the row key of `after` means nothing.
    const last = after !== undefined && batchDate(after) === day ? after : undefined;
    const unfinished = [...open.values()].filter(
      ({ id }) => batchDate(id) === day && (last === undefined || id < last),
    );
    yield* inOrder(
      batchesOfDay(table, day, last),
      unfinished.sort((a, b) => (a.id < b.id ? 1 : -1)),
    );
  }
}

/** Both newest first. The lines are read after the open batches: one that has ended meanwhile is among both. */
async function* inOrder(lines: AsyncIterable<IndexEntry>, open: readonly OpenBatch[]): AsyncGenerator<Candidate> {
  let next = 0;
  for await (const line of lines) {
    for (let batch = open[next]; batch !== undefined && batch.id >= line.id; batch = open[next]) {
      if (batch.id > line.id) yield batch;
      next += 1;
    }
    yield line;
  }
  yield* open.slice(next);
}

/** What its line, or its row `open`, is enough to rule out. */
const mayFit = (candidate: Candidate, query: ListingQuery, open: boolean): boolean =>
  (query.workload === undefined || candidate.workload === query.workload) &&
  hasLabels(candidate, query) &&
  (query.search === undefined || matchesSearch(candidate, query.search)) &&
  (open ||
    !isLine(candidate) ||
    !isFinished(candidate.state) ||
    query.state === undefined ||
    candidate.state === query.state);

/** Labels never change, so those of a line or an `open` row are always current. */
const hasLabels = ({ labels = {} }: Candidate, { labels: asked = [] }: ListingQuery): boolean =>
  asked.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);

const fits = (batch: ListedBatch, { state }: ListingQuery): boolean => state === undefined || batch.state === state;

/** undefined: its acceptance has not come to pass (yet), or it is being deleted or has been. */
async function refresh(table: Table, candidate: Candidate, open: boolean): Promise<ListedBatch | undefined> {
  if (isLine(candidate) && !open && isFinished(candidate.state)) return withPending(candidate, 0);
  const found = await readBatch(table, candidate.id);
  // One that is being deleted is open until nothing is left of it, and has its line for a moment only.
  if (!found || (!isLine(candidate) && found.row.deletingAt !== undefined)) return undefined;
  const { paused, atRiskAt } = found.row;
  return { ...withPending(indexEntryOf(found.row), pendingItems(found.row)), paused, atRiskAt };
}

const withPending = ({ spent: _spent, ...shown }: IndexEntry, pending: number): ListedBatch => ({ ...shown, pending });

async function* inGroups<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let group: T[] = [];
  for await (const item of items) {
    if (group.push(item) < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
