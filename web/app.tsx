import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { key } from './api/key.ts';
import { BatchPage } from './batch/batch-page.tsx';
import { BatchesPage } from './batches/batches-page.tsx';
import { CostPage } from './cost/cost-page.tsx';
import { InboxPage } from './inbox/inbox-page.tsx';
import { KeyPage } from './key/key-page.tsx';
import { useObservable } from './observable.ts';
import { QueuesPage } from './queues/queues-page.tsx';
import { type Place, usePlace } from './routing.ts';
import { Sidebar } from './sidebar.tsx';
import { UploadPage } from './upload/upload-page.tsx';

/** The whole dashboard: without a key it asks for one. */
export function App(): JSX.Element {
  const place = usePlace();
  const isOpen = useObservable(key) !== '';
  const main = useRef<HTMLElement>(null);
  const where = place.page === 'batch' ? place.id : place.page;

  useEffect(() => window.scrollTo(0, 0), [where]);

  if (!isOpen) return <KeyPage />;
  return (
    <div class="layout">
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <Sidebar place={place} />
      <main ref={main} tabIndex={-1}>
        <Page place={place} />
      </main>
    </div>
  );
}

function Page({ place }: { place: Place }): JSX.Element {
  switch (place.page) {
    case 'queues':
      return <QueuesPage />;
    case 'batches':
      return <BatchesPage />;
    case 'batch':
      return <BatchPage id={place.id} tab={place.tab} />;
    case 'inbox':
      return <InboxPage />;
    case 'upload':
      return <UploadPage />;
    case 'cost':
      return <CostPage />;
    default:
      return place satisfies never;
  }
}
