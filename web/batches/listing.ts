/**
 * The listing of batches as one list. Each fetched page covers a range of ids: rows in the range are replaced by the
 * page, rows outside stay. Batch ids sort by time.
 */

import { replaceEqualDeep } from '@tanstack/query-core';
import { DAY_MS } from '../../shared/days.ts';
import { afterOf } from '../api/after-of.ts';
import type { BatchPage } from '../api/pages.ts';
import type { BatchEntry, BatchList } from '../api/types.ts';

export interface Listing {
  rows: ReadonlyMap<string, BatchEntry>;
  /** The id after which older batches follow; undefined if the requested days have no more. */
  next: string | undefined;
  /** Number of batches compared with the filter, and the creation time of the oldest of them. */
  scanned: BatchList['scanned'];
  /** Number of rows that the user has loaded, page by page. */
  asked: number;
  days: BatchList['days'];
  /** Service time of the latest refresh of the newest batches, in milliseconds. */
  atMs: number;
  /** The oldest row of the latest refresh of older rows; the next refresh continues after it. */
  refreshedTo: string;
}

/** A batch gets its id before it is accepted, so a long upload appears below newer batches. */
const ACCEPTANCE_MS = 5 * 60 * 1_000;
/** Rows beyond this number are dropped unless the user loaded them; a page may stay open for weeks. */
const MAX_ROWS = 1_000;

/** The smallest id of a batch created at that time. */
export function firstIdAt(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** The creation time in a batch id, in milliseconds. */
const timeOfId = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16);

/** Whether a batch may still change. */
export const isOpen = ({ completedAt }: Pick<BatchEntry, 'completedAt'>): boolean => completedAt === null;

/** The id after which the next page begins. */
const nextId = ({ next }: Pick<BatchPage, 'next'>): string | undefined => afterOf(next);

/** A range of ids: `from` (inclusive) to `above` (exclusive). */
interface Span {
  above: string;
  from: string;
}

/** Returns the ids that a page covers: below its `after` id, down to the id after which the next page begins. */
export function spanOf(page: BatchPage): Span {
  const { days } = page.list;
  return {
    above: page.after ?? firstIdAt(Date.parse(days.to) + DAY_MS),
    from: nextId(page) ?? firstIdAt(Date.parse(days.from)),
  };
}

/** Replaces the rows in the range of a page. */
function merge(rows: Listing['rows'], page: BatchPage): Listing['rows'] {
  const { above, from } = spanOf(page);
  const outside = [...rows].filter(([id]) => id >= above || id < from);
  // An unchanged row stays the same object.
  return new Map([...outside, ...page.list.batches.map((row) => [row.id, sameOr(rows.get(row.id), row)] as const)]);
}

const sameOr = (known: BatchEntry | undefined, row: BatchEntry): BatchEntry => replaceEqualDeep(known, row);

/** Returns the rows, newest first. */
export const sorted = ({ rows }: Pick<Listing, 'rows'>): BatchEntry[] =>
  [...rows.values()].sort((a, b) => (a.id < b.id ? 1 : -1));

/** Creates a listing from its first page. */
export function listingOf(page: BatchPage): Listing {
  const { days } = page.list;
  const rows = merge(new Map(), page);
  const asked = rows.size;
  return { rows, next: nextId(page), scanned: lookedAtOf(page), asked, days, atMs: page.atMs, refreshedTo: '' };
}

/** Returns the listing with a page of older batches appended. */
export function withOlder(listing: Listing, page: BatchPage): Listing {
  const { batches, until } = lookedAtOf(page);
  const rows = merge(listing.rows, page);
  return {
    ...listing,
    rows,
    asked: rows.size,
    next: nextId(page),
    scanned: { batches: listing.scanned.batches + batches, until: until ?? listing.scanned.until },
    days: { from: page.list.days.from, to: listing.days.to },
  };
}

function lookedAtOf(page: BatchPage): Listing['scanned'] {
  const { batches, until } = page.list.scanned;
  const next = nextId(page);
  return { batches, until: until ?? (next === undefined ? null : new Date(timeOfId(next)).toISOString()) };
}

/** Whether the pages from the newest batch down to `page` reach the known rows, without a gap. */
export function reaches({ rows, atMs }: Listing, page: BatchPage): boolean {
  if (page.next === undefined) return true;
  const { from } = spanOf(page);
  const newest = [...rows.keys()].reduce((a, b) => (a > b ? a : b), '');
  return from <= newest || from <= firstIdAt(atMs - ACCEPTANCE_MS);
}

/** Merges a refresh of the newest and some older rows into the listing; `isWhole` is the result of `reaches`. */
export function refreshed(
  listing: Listing,
  { newest, older, isWhole }: { newest: readonly BatchPage[]; older: readonly BatchPage[]; isWhole: boolean },
): Listing {
  const [head] = newest;
  if (head === undefined) return listing;
  const refreshedTo = older.map((page) => spanOf(page).from).at(-1) ?? '';
  // Rows behind a gap would look consecutive, so they are dropped; later pages load them again.
  const start = isWhole ? listing : listingOf(head);
  const rows = [...newest, ...(isWhole ? older : [])].reduce(merge, start.rows);
  const last = newest.at(-1);
  const next = isWhole || last === undefined ? listing.next : nextId(last);
  const days = { ...start.days, to: head.list.days.to };
  return shortened({ ...start, rows, next, days, atMs: head.atMs, refreshedTo });
}

/** Drops the oldest rows of a listing that is too long; the next page begins with them. */
function shortened(listing: Listing): Listing {
  const most = Math.max(MAX_ROWS, listing.asked);
  if (listing.rows.size <= most) return listing;
  const rows = sorted(listing).slice(0, most);
  const last = rows.at(-1);
  const until = last?.createdAt ?? null;
  return {
    ...listing,
    rows: new Map(rows.map((row) => [row.id, row])),
    next: last?.id,
    scanned: { ...listing.scanned, until },
  };
}
