import type { JSX } from 'preact';
import { api } from '../api/client.ts';
import type { BatchView } from '../api/types.ts';
import { formatCount, shortId } from '../format.ts';
import { usePolled } from '../live/use-polled.ts';
import { batchHref, TABS, type Tab } from '../routing.ts';
import { Freshness } from '../ui/freshness.tsx';
import { PageHead } from '../ui/pieces.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { BatchHead } from './batch-head.tsx';
import { DeadLetters } from './dead-letters/dead-letters.tsx';
import { canProgress, reportFailure } from './finished.ts';
import { Items } from './items/items.tsx';
import { Overview } from './overview/overview.tsx';
import { Receipt } from './receipt.tsx';
import { Report } from './report/report.tsx';

export interface BatchPageProps {
  id: string;
  tab: Tab;
}

/** Everything about one batch; refreshed while the page is shown. */
export function BatchPage({ id, tab }: BatchPageProps): JSX.Element {
  const polled = usePolled<BatchView>({
    key: ['batch', id],
    load: (signal) => api.json('GET batches/{id}', { path: { id }, signal }),
    isMoving: canProgress,
  });
  if (polled.error?.status === 404) return <NoBatch id={id} wasThere={polled.data !== undefined} />;
  return (
    <>
      <BackLink />
      <Loaded polled={polled}>
        {(batch) => (
          <>
            <BatchHead
              batch={batch}
              tabTitle={`${NAMES[tab]} · ${batch.workload} ${shortId(id)}`}
              polled={<Freshness polled={polled} />}
              onChange={polled.refresh}
            />
            <Tabs batch={batch} tab={tab} />
            <TabContent batch={batch} tab={tab} onChange={polled.refresh} />
          </>
        )}
      </Loaded>
    </>
  );
}

const BackLink = (): JSX.Element => (
  <a class="back" href="#/batches">
    All batches
  </a>
);

/** The page for the address of a batch that does not exist, or was deleted while it was shown. */
const NoBatch = ({ id, wasThere }: { id: string; wasThere: boolean }): JSX.Element => (
  <>
    <BackLink />
    <PageHead title="No such batch" />
    <Empty icon="search" title={wasThere ? 'This batch is gone' : 'No batch has this id'}>
      <p class="mono">{id}</p>
      <p>{wasThere ? 'It has been deleted.' : 'It has been deleted or has expired, or the address is incomplete.'}</p>
      <a class="button primary normal" href="#/batches">
        Go to the list of batches
      </a>
    </Empty>
  </>
);

const NAMES: Readonly<Record<Tab, string>> = {
  overview: 'Overview',
  items: 'Items',
  'dead-letters': 'Dead letters',
  report: 'Report',
  receipt: 'Receipt',
};

function Tabs({ batch, tab }: { batch: BatchView; tab: Tab }): JSX.Element {
  const { dead } = batch.counts;
  return (
    <nav class="tabs" aria-label="About this batch">
      {TABS.map((name) => (
        <a key={name} href={batchHref(batch.id, name)} aria-current={name === tab ? 'page' : undefined}>
          {NAMES[name]}
          {name === 'dead-letters' && dead > 0 && <span class="badge">{formatCount(dead)}</span>}
          {name === 'report' && reportFailure(batch) !== undefined && <span class="badge bad">failed</span>}
        </a>
      ))}
    </nav>
  );
}

function TabContent({ batch, tab, onChange }: { batch: BatchView; tab: Tab; onChange: () => void }): JSX.Element {
  switch (tab) {
    case 'overview':
      return <Overview batch={batch} />;
    case 'items':
      return <Items key={batch.id} batch={batch} />;
    case 'dead-letters':
      return <DeadLetters batch={batch} onChange={onChange} />;
    case 'report':
      return <Report batch={batch} />;
    case 'receipt':
      return <Receipt batch={batch} />;
    default:
      return tab satisfies never;
  }
}
