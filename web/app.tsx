import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { isAsked, key } from './api/key.ts';
import { AuditPage } from './audit/audit-page.tsx';
import { BatchPage } from './batch/batch-page.tsx';
import { BatchesPage } from './batches/batches-page.tsx';
import { DaysPage } from './days/days-page.tsx';
import { DeadLettersPage } from './dead-letters/dead-letters-page.tsx';
import { InboxPage } from './inbox/inbox-page.tsx';
import { KeyPage } from './key/key-page.tsx';
import { OverviewPage } from './overview/overview-page.tsx';
import { QueuePage } from './queue/queue-page.tsx';
import { QueuesPage } from './queues/queues-page.tsx';
import { href, type PageName, type Place, place } from './routing.ts';
import { Sidebar } from './sidebar.tsx';
import { PageHead } from './ui/pieces.tsx';
import { Empty } from './ui/states.tsx';
import { UploadPage } from './upload/upload-page.tsx';

/** The whole dashboard. Without a key, it asks for one. */
export function App(): JSX.Element {
  const main = useRef<HTMLElement>(null);
  const at = place.value;
  const where = at.page === 'batch' ? at.id : at.page === 'queue' ? at.queue : at.page;

  useEffect(() => window.scrollTo(0, 0), [where]);

  if (key.value === '') return isAsked.value ? <KeyPage /> : <main class="key-page" />;
  return (
    <div class="layout">
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <Sidebar place={at} />
      <main ref={main} tabIndex={-1}>
        <Page place={at} />
      </main>
    </div>
  );
}

const PAGES: Readonly<Record<PageName, () => JSX.Element>> = {
  overview: OverviewPage,
  queues: QueuesPage,
  batches: BatchesPage,
  'dead-letters': DeadLettersPage,
  inbox: InboxPage,
  upload: UploadPage,
  days: DaysPage,
  audit: AuditPage,
};

function Page({ place: at }: { place: Place }): JSX.Element {
  if (at.page === 'queue') return <QueuePage key={at.queue} queue={at.queue} />;
  if (at.page === 'batch') return <BatchPage key={at.id} id={at.id} tab={at.tab} />;
  if (at.page === 'unknown') return <UnknownPage path={at.path} />;
  const Chosen = PAGES[at.page];
  return <Chosen />;
}

const UnknownPage = ({ path }: { path: string }): JSX.Element => (
  <>
    <PageHead title="No such page" />
    <Empty icon="search" title="There is nothing at this address">
      <p class="mono">{path.slice(0, 200)}</p>
      <a class="button primary normal" href={href('overview')}>
        Go to the overview
      </a>
    </Empty>
  </>
);
