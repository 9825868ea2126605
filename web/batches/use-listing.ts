import { type BatchFilter, type BatchPage, batchesPath, fetchBatches } from '../api/batches.ts';
import { type Action, useAction } from '../live/use-action.ts';
import { type Looked, queries, useLook } from '../live/use-look.ts';
import {
  firstIdAt,
  isOpen,
  type Listing,
  listingOf,
  openParts,
  reaches,
  refreshed,
  spanOf,
  withOlder,
} from './listing.ts';

/** Pages that are asked for in a row while none has a row that fits: of 2,000 batches each. */
const PAGES_ON = 3;
/** Pages that may lie between the newest batches and those that were known. */
const PAGES_BETWEEN = 5;

/** The listing of a filter, live, and the way to more of it. */
export interface ListingLooked extends Looked<Listing> {
  older: Action & { load: () => void };
}

/** Keeps the listing of a filter: it stays for some minutes after the page was left, so that Back finds it as it was. */
export function useListing(filter: BatchFilter): ListingLooked {
  const key = ['batches', batchesPath(filter)];
  const known = (): Listing | undefined => queries.getQueryData<Listing>(key);
  const looked = useLook<Listing>({
    key,
    load: async (signal) => {
      const listing = known();
      if (listing === undefined) return firstLook(filter, signal);
      const look = await lookAgain(listing, filter, signal);
      // Older pages may have come meanwhile.
      return refreshed(known() ?? listing, look);
    },
    isMoving: ({ rows }) => [...rows.values()].some((row) => isOpen(row) && row.state !== 'paused'),
  });
  const action = useAction();
  const load = async (): Promise<void> => {
    for (let pages = 0; pages < PAGES_ON; pages += 1) {
      const before = known();
      if (before === undefined) return;
      const page = await fetchBatches(olderPath(before, filter));
      const updatedAt = queries.getQueryState(key)?.dataUpdatedAt ?? Date.now();
      queries.setQueryData<Listing>(key, (listing) => withOlder(listing ?? before, page), { updatedAt });
      if (page.list.batches.length > 0 || page.next === undefined) return;
    }
  };
  return { ...looked, older: { ...action, load: () => void action.run(load) } };
}

/** A listing without a day ends after a week: what follows then is the week before. */
const olderPath = ({ next, days }: Listing, filter: BatchFilter): string =>
  batchesPath(filter, { after: next ?? firstIdAt(Date.parse(days.from)) });

async function firstLook(filter: BatchFilter, signal: AbortSignal): Promise<Listing> {
  let listing = listingOf(await fetchBatches(batchesPath(filter), { signal }));
  for (let pages = 1; pages < PAGES_ON && listing.rows.size === 0 && listing.next !== undefined; pages += 1)
    listing = withOlder(listing, await fetchBatches(olderPath(listing, filter), { signal }));
  return listing;
}

/** Fetches the newest batches down to those that are known, and the parts of the list behind them that have open rows. */
async function lookAgain(listing: Listing, filter: BatchFilter, signal: AbortSignal) {
  const newest: BatchPage[] = [await fetchBatches(newestPath(listing, filter), { signal })];
  let last = newest[0] as BatchPage;
  while (!reaches(listing, last) && last.next !== undefined && newest.length <= PAGES_BETWEEN) {
    const url = new URL(last.next);
    url.searchParams.set('limit', '200');
    last = await fetchBatches(url, { signal });
    newest.push(last);
  }
  const parts = openParts(listing, spanOf(last).from);
  const older = await Promise.all(
    parts.map(({ day, after, limit }) => fetchBatches(batchesPath({ ...filter, day }, { after, limit }), { signal })),
  );
  return { newest, older, isWhole: reaches(listing, last) };
}

/**
 * A week is a query per day; what is new is of today. Older days are asked for when the day has changed since the last
 * look, and where a batch can come to fit later on.
 */
function newestPath({ days }: Listing, filter: BatchFilter): string {
  const today = new Date().toISOString().slice(0, 10);
  const isToday = filter.day === '' && filter.state === '' && days.to === today;
  return batchesPath(isToday ? { ...filter, day: today } : filter);
}
