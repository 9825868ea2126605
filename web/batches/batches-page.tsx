import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatDay, formatNumberOf } from '../format.ts';
import { parameters, setParameters } from '../routing.ts';
import { Button } from '../ui/button.tsx';
import { Freshness } from '../ui/freshness.tsx';
import { PageHead } from '../ui/pieces.tsx';
import { Empty, ErrorBox, Loaded } from '../ui/states.tsx';
import { type BatchFilter, BatchFilters, filterOf, isFiltered } from './batch-filters.tsx';
import { BatchTable } from './batch-table.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { type Listing, sorted } from './listing.ts';
import { type PolledListing, useListing } from './use-listing.ts';

/** Batches, newest first. The address contains the filter. */
export function BatchesPage(): JSX.Element {
  const filter = filterOf(parameters.value);
  const listing = useListing(filter);
  const setFilter = (next: BatchFilter): void => setParameters({ ...next }, { push: true });
  return (
    <>
      <PageHead title="Batches" note="What was submitted, newest first.">
        <Freshness polled={listing} />
        <a class="button primary normal" href="#/upload">
          Upload a file
        </a>
      </PageHead>
      <BatchFilters filter={filter} onChange={setFilter} />
      <Loaded polled={listing}>
        {(data) => (
          <Batches
            key={JSON.stringify(filter)}
            listing={data}
            polled={listing}
            filter={filter}
            onLabel={(label) => setFilter({ ...filter, label })}
          />
        )}
      </Loaded>
    </>
  );
}

interface BatchesProps {
  listing: Listing;
  polled: PolledListing;
  filter: BatchFilter;
  onLabel: (label: string) => void;
}

function Batches({ listing, polled, filter, onLabel }: BatchesProps): JSX.Element {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const batches = sorted(listing);
  const filtered = isFiltered(filter);
  const more = <More {...{ listing, polled, filter }} />;
  return (
    <>
      <BulkBar batches={batches} chosen={chosen} onChoose={setChosen} onChange={polled.refresh} />
      {batches.length === 0 ? (
        <NoBatches listing={listing} filtered={filtered} more={more} />
      ) : (
        <>
          <BatchTable batches={batches} chosen={chosen} onChoose={setChosen} onLabel={onLabel} />
          {filtered && <p class="soft searched">{searchedText(listing)}</p>}
          {more}
        </>
      )}
    </>
  );
}

/**
 * The button for older batches: of these days, or of the previous week. A listing of a single day has no earlier page.
 */
function More({ listing, polled, filter }: Omit<BatchesProps, 'onLabel'>): JSX.Element | null {
  const { busy, error, load } = polled.older;
  if (listing.next === undefined && filter.day !== '') return null;
  const onward = isFiltered(filter) ? 'Search further' : 'Older batches';
  return (
    <>
      {error && <ErrorBox error={error} />}
      <div class="more">
        <Button busy={busy} onClick={load}>
          {listing.next === undefined ? `Search before ${formatDay(listing.days.from)}` : onward}
        </Button>
      </div>
    </>
  );
}

/** How far the listing has searched: "Searched 6,000 batches, back to 3 Nov." */
function searchedText({ scanned: { batches, until }, next, days }: Listing): string {
  const searched = batches === 0 ? 'Searched' : `Searched ${formatNumberOf(batches, 'batch', 'batches')},`;
  return `${searched} back to ${formatDay(next === undefined || until === null ? days.from : until)} (UTC).`;
}

interface NoBatchesProps {
  listing: Listing;
  filtered: boolean;
  more: JSX.Element;
}

function NoBatches({ listing, filtered, more }: NoBatchesProps): JSX.Element {
  const { days, next } = listing;
  const when = days.from === days.to ? `on ${days.to}` : `from ${days.from} to ${days.to}`;
  if (filtered)
    return (
      <Empty icon="search" title={next === undefined ? 'No match' : 'No match so far'}>
        <p>{next === undefined ? `No matching batch ${when} (UTC).` : searchedText(listing)}</p>
        {more}
      </Empty>
    );
  return (
    <Empty icon="batches" title="No batches yet">
      <p>Nothing was submitted {when} (UTC).</p>
      <a class="button primary normal" href="#/upload">
        Upload the first file
      </a>
      {more}
    </Empty>
  );
}
