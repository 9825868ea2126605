/** Listings of batches: the lines of finished batches, and the batch rows of the others, whose ids are in partition `open`. */

import { batchDate } from '../../contract/names.ts';
import { groupsOfSource } from '../../groups-of.ts';
import { inParallel } from '../../parallel.ts';
import type { Table } from '../../storage/table.ts';
import { type BatchRow, type BatchState, isFinished, pendingItems } from '../batch-row.ts';
import { readBatch } from '../ledger.ts';
import { batchesOfDay, type IndexEntry, indexEntryOf } from './index-rows.ts';
import { type OpenBatch, openBatches } from './open-rows.ts';
import { matchesSearch } from './search.ts';

/** The parameters of a listing. `days` are searched in their order. */
export interface ListingQuery {
  days: readonly string[];
  limit: number;
  after?: string | undefined;
  workload?: string | undefined;
  state?: BatchState | undefined;
  /** Labels that a batch must all have. Defaults to none. */
  labels?: readonly (readonly [key: string, value: string])[];
  search?: string | undefined;
}

/** A batch of a listing, in its current state. */
export type ListedBatch = Omit<IndexEntry, 'spent'> &
  Pick<BatchRow, 'paused' | 'atRiskAt' | 'queueOffset'> & {
    pending: number;
    /** Only for an open batch. */
    chunksTotal?: number;
  };

/**
 * A page of a listing. `next` is the id after which the next page begins; undefined if the days have no more batches.
 * `scanned.count` is the number of batches that were compared with the query, and `scanned.last` is the id of the
 * last one.
 */
export interface Listing {
  batches: ListedBatch[];
  next: string | undefined;
  scanned: { count: number; last: string | undefined };
}

/** Maximum number of index rows that one listing compares: a filter that matches few must not search without end. */
const MAX_SCANNED = 2_000;
const ROWS_AT_ONCE = 50;
const READS_AT_ONCE = 16;

/** Lists batches, newest first. For an open batch its row is read, since its line shows only how its last revision ended. */
export async function listBatchesOf(table: Table, query: ListingQuery): Promise<Listing> {
  const open = new Map<string, OpenBatch>();
  for await (const each of openBatches(table)) open.set(each.id, each);
  const batches: ListedBatch[] = [];
  let scanned: Listing['scanned'] = { count: 0, last: undefined };
  for await (const group of groupsOfSource(candidates(table, query, open), ROWS_AT_ONCE)) {
    const wanted = group.filter((entry) => mayFit(entry, query, open.has(entry.id)));
    const listed = await inParallel(wanted, READS_AT_ONCE, (entry) => refresh(table, entry, open.has(entry.id)));
    batches.push(...listed.filter((batch) => batch !== undefined).filter((batch) => fits(batch, query)));
    if (batches.length >= query.limit) {
      const page = batches.slice(0, query.limit);
      const last = page.at(-1)?.id;
      const count = scanned.count + group.findIndex(({ id }) => id === last) + 1;
      return { batches: page, next: last, scanned: { count, last } };
    }
    scanned = { count: scanned.count + group.length, last: group.at(-1)?.id };
    if (scanned.count >= MAX_SCANNED) return { batches, next: scanned.last, scanned };
  }
  return { batches, next: undefined, scanned };
}

/** Reads the ids of all open batches, or of those of one workload. */
export async function openIds(table: Table, workload?: string): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const { id } of openBatches(table, workload)) ids.add(id);
  return ids;
}

type Candidate = IndexEntry | OpenBatch;

const isLine = (candidate: Candidate): candidate is IndexEntry => 'state' in candidate;

async function* candidates(
  table: Table,
  { days, after }: ListingQuery,
  open: ReadonlyMap<string, OpenBatch>,
): AsyncGenerator<Candidate> {
  for (const day of days) {
    // For another day's partition, the row key of `after` has no meaning.
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

/** Merges both lists, newest first. The lines are read after the open batches: a batch that has ended in between is in both. */
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

/** Whether a batch may match the query, as far as its line or its row `open` shows. */
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

/** Returns undefined if the batch is not accepted (yet), or is being deleted or already deleted. */
async function refresh(table: Table, candidate: Candidate, open: boolean): Promise<ListedBatch | undefined> {
  if (isLine(candidate) && !open && isFinished(candidate.state)) return withPending(candidate, 0);
  const found = await readBatch(table, candidate.id);
  // A batch that is being deleted stays open until all its data is deleted, but its line disappears at the start.
  if (!found || (!isLine(candidate) && found.row.deletingAt !== undefined)) return undefined;
  const { paused, atRiskAt, queueOffset, chunksTotal } = found.row;
  const listed = withPending(indexEntryOf(found.row), pendingItems(found.row));
  return { ...listed, paused, atRiskAt, queueOffset, chunksTotal };
}

const withPending = ({ spent: _spent, ...shown }: IndexEntry, pending: number): ListedBatch => ({ ...shown, pending });
