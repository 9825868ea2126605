import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type BatchFilter, type BatchPage, batchesPath, fetchBatches } from '../api/batches.ts';
import type { BatchEntry } from '../api/types.ts';
import { useAction } from '../live/use-action.ts';
import { usePoll } from '../live/use-poll.ts';
import { Button } from '../ui/button.tsx';
import { PageHead } from '../ui/pieces.tsx';
import { Empty, ErrorBox, Loaded } from '../ui/states.tsx';
import { BatchFilters, NO_FILTER } from './batch-filters.tsx';
import { BatchTable } from './batch-table.tsx';

const EVERY_MS = 4_000;

/**
 * Batches, newest first. A listing over a week is a query a day, so that only the first look asks for the week: from
 * then on it is today alone, and what is still open, that is asked for.
 */
export function BatchesPage(): JSX.Element {
  const [filter, setFilter] = useState<BatchFilter>(NO_FILTER);
  const path = batchesPath(filter);
  const [week, setWeek] = useState<{ path: string; page: BatchPage }>();
  const polled = usePoll({
    subject: path,
    everyMs: () => EVERY_MS,
    load: async (signal): Promise<BatchPage> => {
      const known = week?.path === path ? week.page : undefined;
      if (known) return refreshed(known, filter, signal);
      const page = await fetchBatches(path, { signal });
      setWeek({ path, page });
      return page;
    },
  });
  return (
    <>
      <PageHead title="Batches" note="What was submitted, newest first.">
        <a class="button primary normal" href="#/upload">
          Upload a file
        </a>
      </PageHead>
      <BatchFilters filter={filter} onChange={setFilter} />
      <Loaded polled={polled}>
        {(page) => (
          <BatchPages
            key={path}
            first={page}
            filtered={filter !== NO_FILTER}
            onLabel={(label) => setFilter({ ...filter, label })}
          />
        )}
      </Loaded>
    </>
  );
}

/** The first page as it was, with the batches of today as they are now, and with those that were open looked at again. */
async function refreshed(known: BatchPage, filter: BatchFilter, signal: AbortSignal): Promise<BatchPage> {
  const today = new Date().toISOString().slice(0, 10);
  const openElsewhere = known.list.batches.some(
    ({ completedAt, createdAt }) => completedAt === null && !createdAt.startsWith(today),
  );
  if (filter.day !== '' || openElsewhere) return fetchBatches(batchesPath(filter), { signal });
  const { list } = await fetchBatches(batchesPath({ ...filter, day: today }), { signal });
  const older = known.list.batches.filter(({ createdAt }) => !createdAt.startsWith(today));
  return { ...known, list: { ...known.list, batches: [...list.batches, ...older] } };
}

interface BatchPagesProps {
  first: BatchPage;
  filtered: boolean;
  onLabel: (label: string) => void;
}

/** The first page, which is live, and those that somebody asked for after it. */
function BatchPages({ first, filtered, onLabel }: BatchPagesProps): JSX.Element {
  const [more, setMore] = useState<{ batches: BatchEntry[]; next: URL | undefined }>();
  const action = useAction();
  const next = more ? more.next : first.next;
  const load = async (): Promise<void> => {
    if (next === undefined) return;
    const page = await fetchBatches(next);
    setMore({ batches: [...(more?.batches ?? []), ...page.list.batches], next: page.next });
  };
  const known = new Set(first.list.batches.map(({ id }) => id));
  const batches = [...first.list.batches, ...(more?.batches ?? []).filter(({ id }) => !known.has(id))];
  if (batches.length === 0) return <NoBatches filtered={filtered} days={first.list.days} />;
  return (
    <>
      <BatchTable batches={batches} onLabel={onLabel} />
      {action.error && <ErrorBox error={action.error} />}
      {next && (
        <div class="more">
          <Button busy={action.busy} onClick={() => void action.run(load)}>
            Older batches
          </Button>
        </div>
      )}
    </>
  );
}

function NoBatches({ filtered, days }: { filtered: boolean; days: { from: string; to: string } }): JSX.Element {
  const when = days.from === days.to ? `on ${days.to}` : `from ${days.from} to ${days.to}`;
  if (filtered)
    return (
      <Empty icon="search" title="Nothing fits">
        <p>No such batch {when} (UTC).</p>
      </Empty>
    );
  return (
    <Empty icon="batches" title="No batches yet">
      <p>Nothing was submitted {when} (UTC).</p>
      <a class="button primary normal" href="#/upload">
        Upload the first file
      </a>
    </Empty>
  );
}
