import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type BatchFilter, batchesPath } from '../api/batches.ts';
import { formatDay, formatNumberOf } from '../format.ts';
import { parameters, setParameters } from '../routing.ts';
import { Button } from '../ui/button.tsx';
import { Freshness } from '../ui/freshness.tsx';
import { PageHead } from '../ui/pieces.tsx';
import { Empty, ErrorBox, Loaded } from '../ui/states.tsx';
import { BatchFilters, filterOf, isFiltered } from './batch-filters.tsx';
import { BatchTable } from './batch-table.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { type Listing, sorted } from './listing.ts';
import { type ListingLooked, useListing } from './use-listing.ts';

/** Batches, newest first. The address holds the filter. */
export function BatchesPage(): JSX.Element {
  const filter = filterOf(parameters.value);
  const listing = useListing(filter);
  const setFilter = (next: BatchFilter): void => setParameters({ ...next }, { push: true });
  return (
    <>
      <PageHead title="Batches" note="What was submitted, newest first.">
        <Freshness looked={listing} />
        <a class="button primary normal" href="#/upload">
          Upload a file
        </a>
      </PageHead>
      <BatchFilters filter={filter} onChange={setFilter} />
      <Loaded polled={listing}>
        {(data) => (
          <Batches
            key={batchesPath(filter)}
            listing={data}
            looked={listing}
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
  looked: ListingLooked;
  filter: BatchFilter;
  onLabel: (label: string) => void;
}

function Batches({ listing, looked, filter, onLabel }: BatchesProps): JSX.Element {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const batches = sorted(listing);
  const filtered = isFiltered(filter);
  const more = <More {...{ listing, looked, filter }} />;
  return (
    <>
      <BulkBar batches={batches} chosen={chosen} onChoose={setChosen} onChange={looked.refresh} />
      {batches.length === 0 ? (
        <NoBatches listing={listing} filtered={filtered} more={more} />
      ) : (
        <>
          <BatchTable batches={batches} chosen={chosen} onChoose={setChosen} onLabel={onLabel} />
          {filtered && <p class="soft looked-at">{lookedAtText(listing)}</p>}
          {more}
        </>
      )}
    </>
  );
}

/** The way on: to older batches of these days, or to the week before. A day ends where it ends. */
function More({ listing, looked, filter }: Omit<BatchesProps, 'onLabel'>): JSX.Element | null {
  const { busy, error, load } = looked.older;
  if (listing.next === undefined && filter.day !== '') return null;
  const onward = isFiltered(filter) ? 'Look further' : 'Older batches';
  return (
    <>
      {error && <ErrorBox error={error} />}
      <div class="more">
        <Button busy={busy} onClick={load}>
          {listing.next === undefined ? `Look before ${formatDay(listing.days.from)}` : onward}
        </Button>
      </div>
    </>
  );
}

/** How far the filter has been looked for: "Looked at 6,000 batches, back to 3 Nov." */
function lookedAtText({ lookedAt: { batches, until }, next, days }: Listing): string {
  const looked = batches === 0 ? 'Looked' : `Looked at ${formatNumberOf(batches, 'batch', 'batches')},`;
  return `${looked} back to ${formatDay(next === undefined || until === null ? days.from : until)} (UTC).`;
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
      <Empty icon="search" title={next === undefined ? 'Nothing fits' : 'Nothing fits so far'}>
        <p>{next === undefined ? `No such batch ${when} (UTC).` : lookedAtText(listing)}</p>
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
