/**
 * The listing of batches as one list. Each page that was fetched covers a span of ids: within it the page is the truth,
 * outside of it what was known before stays. Ids of batches sort by time.
 */
import { replaceEqualDeep } from '@tanstack/query-core';
import type { BatchPage } from '../api/batches.ts';
import type { BatchEntry, BatchList } from '../api/types.ts';

/** All that is known of a listing. */
export interface Listing {
  rows: ReadonlyMap<string, BatchEntry>;
  /** The id behind which older batches are; undefined: the days that were asked for have no more. */
  next: string | undefined;
  /** Batches that were compared with the filter, and the creation of the oldest of them. */
  lookedAt: BatchList['lookedAt'];
  /** Rows that somebody has asked for, page by page. */
  asked: number;
  /** Days (UTC) that were looked at. */
  days: BatchList['days'];
  /** Service time of the latest look at the newest batches, in milliseconds. */
  atMs: number;
  /** Oldest row of the latest refresh of older rows: the next one goes on behind it. */
  refreshedTo: string;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** A batch has its id before it is accepted: a long upload appears below batches that are newer. */
const ACCEPTANCE_MS = 5 * 60 * 1_000;
/** The service's maximum. */
const MAX_LIMIT = 200;
/** Rows that come by themselves are kept up to this many: a page may stay open for weeks. */
const MOST_ROWS = 1_000;
/** Requests for older rows that are open, per look. */
const SPANS = 4;

/** The least id of a batch that was created at that time. */
export function firstIdAt(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** When a batch was created, by its id, in milliseconds. */
const timeOfId = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16);

/** Whether a batch may still change. */
export const isOpen = ({ completedAt }: Pick<BatchEntry, 'completedAt'>): boolean => completedAt === null;

/** The id behind which the next page begins. */
const nextId = ({ next }: Pick<BatchPage, 'next'>): string | undefined => next?.searchParams.get('after') ?? undefined;

/** Ids of a span are below `above` and not below `from`. */
interface Span {
  above: string;
  from: string;
}

/** The ids that a page covers: from the one it was asked for after down to the one that the next page begins after. */
export function spanOf(page: BatchPage): Span {
  const { days } = page.list;
  return {
    above: page.after ?? firstIdAt(Date.parse(days.to) + DAY_MS),
    from: nextId(page) ?? firstIdAt(Date.parse(days.from)),
  };
}

/** What is known when a page has come. */
function merge(rows: Listing['rows'], page: BatchPage): Listing['rows'] {
  const { above, from } = spanOf(page);
  const outside = [...rows].filter(([id]) => id >= above || id < from);
  // A row that has not changed stays the same object.
  return new Map([...outside, ...page.list.batches.map((row) => [row.id, sameOr(rows.get(row.id), row)] as const)]);
}

const sameOr = (known: BatchEntry | undefined, row: BatchEntry): BatchEntry => replaceEqualDeep(known, row);

/** The rows as they are shown: newest first. */
export const sorted = ({ rows }: Pick<Listing, 'rows'>): BatchEntry[] =>
  [...rows.values()].sort((a, b) => (a.id < b.id ? 1 : -1));

/** A listing that begins with this page. */
export function listingOf(page: BatchPage): Listing {
  const { days } = page.list;
  const rows = merge(new Map(), page);
  const asked = rows.size;
  return { rows, next: nextId(page), lookedAt: lookedAtOf(page), asked, days, atMs: page.atMs, refreshedTo: '' };
}

/** The listing with the page of older batches at its end. */
export function withOlder(listing: Listing, page: BatchPage): Listing {
  const { batches, until } = lookedAtOf(page);
  const rows = merge(listing.rows, page);
  return {
    ...listing,
    rows,
    asked: rows.size,
    next: nextId(page),
    lookedAt: { batches: listing.lookedAt.batches + batches, until: until ?? listing.lookedAt.until },
    days: { from: page.list.days.from, to: listing.days.to },
  };
}

function lookedAtOf(page: BatchPage): Listing['lookedAt'] {
  const { batches, until } = page.list.lookedAt;
  const next = nextId(page);
  return { batches, until: until ?? (next === undefined ? null : new Date(timeOfId(next)).toISOString()) };
}

/** Whether pages from the newest batch down to `page` reach what was known before, so that nothing lies between. */
export function reaches({ rows, atMs }: Listing, page: BatchPage): boolean {
  if (page.next === undefined) return true;
  const { from } = spanOf(page);
  const newest = [...rows.keys()].reduce((a, b) => (a > b ? a : b), '');
  return from <= newest || from <= firstIdAt(atMs - ACCEPTANCE_MS);
}

/** The listing after a look at the newest batches and at older rows; `isWhole` as `reaches` says of the newest ones. */
export function refreshed(
  listing: Listing,
  { newest, older, isWhole }: { newest: readonly BatchPage[]; older: readonly BatchPage[]; isWhole: boolean },
): Listing {
  const [head] = newest;
  if (head === undefined) return listing;
  const refreshedTo = older.map((page) => spanOf(page).from).at(-1) ?? '';
  // Rows behind a gap would look as if they followed: they are reached again by the pages.
  const start = isWhole ? listing : listingOf(head);
  const rows = [...newest, ...(isWhole ? older : [])].reduce(merge, start.rows);
  const last = newest.at(-1);
  const next = isWhole || last === undefined ? listing.next : nextId(last);
  const days = { ...start.days, to: head.list.days.to };
  return shortened({ ...start, rows, next, days, atMs: head.atMs, refreshedTo });
}

/** The listing without its oldest rows if it has become too long; the next page begins with them. */
function shortened(listing: Listing): Listing {
  const most = Math.max(MOST_ROWS, listing.asked);
  if (listing.rows.size <= most) return listing;
  const rows = sorted(listing).slice(0, most);
  const last = rows.at(-1);
  const until = last?.createdAt ?? null;
  return {
    ...listing,
    rows: new Map(rows.map((row) => [row.id, row])),
    next: last?.id,
    lookedAt: { ...listing.lookedAt, until },
  };
}

/** A part of the list that is asked for again: rows of one day, as far as any of them is open. */
export interface Part {
  day: string;
  after: string | undefined;
  limit: number;
}

/** The parts with open rows below `from`, at most `SPANS` of them; they take turns. */
export function openParts(listing: Listing, from: string): Part[] {
  const rows = sorted(listing);
  const parts: Part[] = [];
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at];
    if (row === undefined || row.id >= from || !isOpen(row)) continue;
    const day = row.createdAt.slice(0, 10);
    const ofDay = rows.slice(at, at + MAX_LIMIT).filter(({ createdAt }) => createdAt.startsWith(day));
    const limit = ofDay.findLastIndex(isOpen) + 1;
    const before = rows[at - 1];
    parts.push({ day, after: before?.createdAt.startsWith(day) ? before.id : undefined, limit });
    at += limit - 1;
  }
  const turn = parts.findIndex(
    ({ after, day }) => (after ?? firstIdAt(Date.parse(day) + DAY_MS)) <= listing.refreshedTo,
  );
  return turn < 1 ? parts.slice(0, SPANS) : [...parts.slice(turn), ...parts.slice(0, turn)].slice(0, SPANS);
}
