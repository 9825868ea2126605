import type { JSX } from 'preact';
import { fetchBatch } from '../api/batches.ts';
import type { BatchView } from '../api/types.ts';
import { formatCount } from '../format.ts';
import { usePoll } from '../live/use-poll.ts';
import { batchHref, TABS, type Tab } from '../routing.ts';
import { Loaded } from '../ui/states.tsx';
import { BatchHead } from './batch-head.tsx';
import { DeadLetters } from './dead-letters.tsx';
import { isFinished } from './finished.ts';
import { Overview } from './overview.tsx';
import { Receipt } from './receipt.tsx';
import { Report } from './report.tsx';

const EVERY_MS = 2_000;
/** A finished batch changes only by a redrive, perhaps somebody else's. */
const FINISHED_EVERY_MS = 30_000;

export interface BatchPageProps {
  id: string;
  tab: Tab;
}

/** All about one batch; a read of one row every two seconds until it is finished. */
export function BatchPage({ id, tab }: BatchPageProps): JSX.Element {
  const polled = usePoll<BatchView>({
    subject: id,
    everyMs: (batch) => (batch && isFinished(batch) ? FINISHED_EVERY_MS : EVERY_MS),
    load: (signal) => fetchBatch(id, { signal }),
  });
  return (
    <>
      <a class="back" href="#/batches">
        All batches
      </a>
      <Loaded polled={polled}>
        {(batch) => (
          <>
            <BatchHead batch={batch} onChange={polled.refresh} />
            <Tabs batch={batch} tab={tab} />
            <TabContent batch={batch} tab={tab} onChange={polled.refresh} />
          </>
        )}
      </Loaded>
    </>
  );
}

const NAMES: Readonly<Record<Tab, string>> = {
  overview: 'Overview',
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
        </a>
      ))}
    </nav>
  );
}

function TabContent({ batch, tab, onChange }: { batch: BatchView; tab: Tab; onChange: () => void }): JSX.Element {
  switch (tab) {
    case 'overview':
      return <Overview batch={batch} />;
    case 'dead-letters':
      return <DeadLetters batch={batch} onChange={onChange} />;
    case 'report':
      return <Report batch={batch} onChange={onChange} />;
    case 'receipt':
      return <Receipt batch={batch} />;
    default:
      return tab satisfies never;
  }
}
