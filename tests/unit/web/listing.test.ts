import { describe, expect, it } from 'vitest';
import type { BatchPage } from '../../../web/api/pages.ts';
import {
  firstIdAt,
  type Listing,
  listingOf,
  reaches,
  refreshed,
  sorted,
  withOlder,
} from '../../../web/batches/listing.ts';
import { openParts } from '../../../web/batches/open-parts.ts';
import { entryAt } from '../../browser/support/batch-data.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const HOUR_MS = 60 * 60 * 1_000;

interface PageFields {
  /** Ages of its rows in hours; negative for unfinished ones. */
  hours: readonly number[];
  after?: string;
  /** Whether another page follows its last row. */
  more?: boolean;
  days?: { from: string; to: string };
}

function pageOf({
  hours,
  after,
  more = false,
  days = { from: '2026-11-16', to: '2026-11-22' },
}: PageFields): BatchPage {
  const batches = hours.map((age) => entryAt(NOW - Math.abs(age) * HOUR_MS, age < 0 ? { completedAt: null } : {}));
  const last = batches.at(-1);
  const next = more ? `batches?after=${last?.id}` : undefined;
  const scanned = { batches: batches.length, until: last?.createdAt ?? null };
  return { list: { batches, days, scanned }, next, after, atMs: NOW };
}

const ages = (listing: Listing): number[] =>
  sorted(listing).map(({ createdAt }) => (NOW - Date.parse(createdAt)) / HOUR_MS);
const idOf = (hours: number): string => entryAt(NOW - hours * HOUR_MS).id;

describe('a listing', () => {
  const known = withOlder(
    listingOf(pageOf({ hours: [1, 2, 3], more: true })),
    pageOf({ hours: [4, 30], after: idOf(3), more: true }),
  );

  it('keeps the rows outside the range of a new page, and drops rows in its range that the page lacks', () => {
    const newest = [pageOf({ hours: [0, 1, 3], more: true })];
    expect(ages(refreshed(known, { newest, older: [], isWhole: true }))).toEqual([0, 1, 3, 4, 30]);
    const today = [pageOf({ hours: [1], days: { from: '2026-11-22', to: '2026-11-22' } })];
    expect(ages(refreshed(known, { newest: today, older: [], isWhole: true }))).toEqual([1, 30]);
  });

  it('does not grow indefinitely while it is open: the oldest rows are on the next page again', () => {
    let listing = listingOf(pageOf({ hours: [120, 121] }));
    for (let look = 1; look <= 300; look += 1) {
      const hours = [0, 1, 2, 3, 4, 5].map((n) => 100 - look * 0.3 + n * 0.01);
      listing = refreshed(listing, { newest: [pageOf({ hours, more: true })], older: [], isWhole: true });
    }
    expect(listing.rows.size).toBe(1_000);
    expect(listing.next).toBe(sorted(listing).at(-1)?.id);
    expect(listing.scanned.until).toBe(sorted(listing).at(-1)?.createdAt);
  });

  it('starts again if unknown batches may follow the newest ones, so that each of them is reached', () => {
    const newest = pageOf({ hours: [0.2, 0.4], more: true });
    const before = { ...known, atMs: NOW - 0.5 * HOUR_MS };
    expect(reaches(before, newest)).toBe(false);
    const listing = refreshed(before, { newest: [newest], older: [], isWhole: false });
    expect([ages(listing), listing.next]).toEqual([[0.2, 0.4], idOf(0.4)]);
  });

  it('reaches the known rows by time if no row matches', () => {
    const none = listingOf(pageOf({ hours: [] }));
    const newest = pageOf({ hours: [0.5], more: true });
    expect(reaches({ ...none, atMs: NOW }, newest)).toBe(true);
    expect(reaches({ ...none, atMs: NOW - HOUR_MS }, newest)).toBe(false);
  });

  it('counts the batches that were compared', () => {
    expect([known.scanned.batches, known.scanned.until, known.next]).toEqual([5, '2026-11-21T06:00:00.000Z', idOf(30)]);
  });
});

describe('older rows that are open', () => {
  const listing = listingOf(pageOf({ hours: [-1, 2, 25, -26, 27, -28, -49, -73, -97, -121] }));
  const from = firstIdAt(Date.parse('2026-11-22'));

  it('are requested by day, from the row before them to the last of them, some days per refresh', () => {
    const parts = openParts(listing, from);
    expect(parts).toEqual([
      { day: '2026-11-21', after: idOf(25), limit: 3 },
      { day: '2026-11-20', after: undefined, limit: 1 },
      { day: '2026-11-19', after: undefined, limit: 1 },
      { day: '2026-11-18', after: undefined, limit: 1 },
    ]);
    const turn = openParts({ ...listing, refreshedTo: idOf(97) }, from).map(({ day }) => day);
    expect(turn).toEqual(['2026-11-17', '2026-11-21', '2026-11-20', '2026-11-19']);
  });
});
