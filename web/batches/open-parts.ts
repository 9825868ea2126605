import { DAY_MS } from '../../shared/days.ts';
import { firstIdAt, isOpen, type Listing, sorted } from './listing.ts';

const MAX_LIMIT = 200;
/** Maximum number of requests for older rows with unfinished batches, per refresh; those for new batches are in addition. */
const SPANS = 4;

/** A part of the list to refresh: rows of one day, up to the last unfinished one. */
export interface Part {
  day: string;
  after: string | undefined;
  limit: number;
}

/** Returns the parts with unfinished rows below `from`, at most `SPANS` per refresh in rotation. */
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
