import { afterOf } from '../api/after-of.ts';
import { filterQuery } from '../api/client.ts';
import { type BatchPage, fetchBatches } from '../api/pages.ts';
import { type Action, useAction } from '../live/use-action.ts';
import { type Polled, queries, usePolled } from '../live/use-polled.ts';
import type { BatchFilter } from './batch-filters.tsx';
import { firstIdAt, isOpen, type Listing, listingOf, reaches, refreshed, spanOf, withOlder } from './listing.ts';
import { openParts } from './open-parts.ts';

/** Maximum number of consecutive requests that return no matching row; each covers 2,000 batches. */
const PAGES_ON = 3;
/** Maximum number of pages between the newest batches and the known ones. */
const PAGES_BETWEEN = 5;

/** The live listing of a filter, and the action that loads older batches. */
export interface PolledListing extends Polled<Listing> {
  older: Action & { load: () => void };
}

/**
 * Provides the listing of a filter. It stays cached for some minutes after the page is left, so that Back restores it.
 */
export function useListing(filter: BatchFilter): PolledListing {
  const key = ['batches', filter];
  const known = (): Listing | undefined => queries.getQueryData<Listing>(key);
  const polled = usePolled<Listing>({
    key,
    load: async (signal) => {
      const listing = known();
      if (listing === undefined) return fetchFirst(filter, signal);
      const changes = await fetchChanges(listing, filter, signal);
      // Older pages may have been loaded in the meantime.
      return refreshed(known() ?? listing, changes);
    },
    isMoving: ({ rows }) => [...rows.values()].some((row) => isOpen(row) && row.state !== 'paused'),
  });
  const action = useAction();
  const load = async (): Promise<void> => {
    for (let pages = 0; pages < PAGES_ON; pages += 1) {
      const before = known();
      if (before === undefined) return;
      const page = await fetchOlder(before, filter);
      const updatedAt = queries.getQueryState(key)?.dataUpdatedAt ?? Date.now();
      queries.setQueryData<Listing>(key, (listing) => withOlder(listing ?? before, page), { updatedAt });
      if (page.list.batches.length > 0 || page.next === undefined) return;
    }
  };
  return { ...polled, older: { ...action, load: () => void action.run(load) } };
}

/** A listing without a day covers a week; the previous week follows. */
const fetchOlder = ({ next, days }: Listing, filter: BatchFilter, signal?: AbortSignal): Promise<BatchPage> =>
  fetchBatches({ query: { ...filterQuery(filter), after: next ?? firstIdAt(Date.parse(days.from)) } }, signal);

async function fetchFirst(filter: BatchFilter, signal: AbortSignal): Promise<Listing> {
  let listing = listingOf(await fetchBatches({ query: filterQuery(filter) }, signal));
  for (let pages = 1; pages < PAGES_ON && listing.rows.size === 0 && listing.next !== undefined; pages += 1)
    listing = withOlder(listing, await fetchOlder(listing, filter, signal));
  return listing;
}

/** Fetches the newest batches down to the known ones, and the older parts of the list that have unfinished rows. */
async function fetchChanges(listing: Listing, filter: BatchFilter, signal: AbortSignal) {
  const newest: BatchPage[] = [await fetchBatches({ query: newestOf(listing, filter) }, signal)];
  let last = newest[0] as BatchPage;
  while (!reaches(listing, last) && last.next !== undefined && newest.length <= PAGES_BETWEEN) {
    const query = { ...newestOf(listing, filter), after: afterOf(last.next), limit: 200 };
    last = await fetchBatches({ query }, signal);
    newest.push(last);
  }
  const parts = openParts(listing, spanOf(last).from);
  const older = await Promise.all(
    parts.map((part) => fetchBatches({ query: { ...filterQuery(filter), ...part } }, signal)),
  );
  return { newest, older, isWhole: reaches(listing, last) };
}

/**
 * A week costs one query per day, and new batches are of today. So older days are queried only if the day has changed
 * since the last refresh, or if the filter has a state, which older batches can enter later.
 */
function newestOf({ days }: Listing, filter: BatchFilter) {
  const today = new Date().toISOString().slice(0, 10);
  const isToday = filter.day === '' && filter.state === '' && days.to === today;
  return filterQuery(isToday ? { ...filter, day: today } : filter);
}
