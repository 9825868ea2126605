import type { JSX } from 'preact';
import { fetchInbox, type Page } from '../api/pages.ts';
import type { InboxFile } from '../api/types.ts';
import { useMore } from '../live/use-more.ts';
import { usePolled } from '../live/use-polled.ts';
import { Freshness } from '../ui/freshness.tsx';
import { MoreButton } from '../ui/more-button.tsx';
import { PageHead } from '../ui/pieces.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { InboxTable } from './inbox-table.tsx';

/** The files in the inbox, and the rejected ones with their reasons. */
export function InboxPage(): JSX.Element {
  const polled = usePolled({
    key: ['inbox'],
    load: (signal) => fetchInbox({}, signal),
    isMoving: ({ entries }) => entries.some(({ state }) => state !== 'rejected'),
  });
  return (
    <>
      <PageHead title="Inbox" note="Files that wait to become batches, are being taken, or were rejected.">
        <Freshness polled={polled} />
      </PageHead>
      <Loaded polled={polled}>{(page) => <InboxPages first={page} onChange={polled.refresh} />}</Loaded>
    </>
  );
}

/** The first page, which is live, and the further pages that the user has loaded. */
function InboxPages({ first, onChange }: { first: Page<InboxFile>; onChange: () => void }): JSX.Element {
  const more = useMore(first, { keyOf: ({ state, name }) => `${state} ${name}`, fetchPage: fetchInbox });
  const { entries: files, next, reset } = more;
  const changed = (): void => {
    reset();
    onChange();
  };
  return (
    <>
      {files.length === 0 && next === undefined ? (
        <Empty icon="inbox" title="The inbox is empty">
          <p>A file at &lt;workload&gt;/&lt;name&gt; in container inbox becomes a batch.</p>
        </Empty>
      ) : (
        <InboxTable files={files} onChange={changed} />
      )}
      <MoreButton more={more}>More files</MoreButton>
    </>
  );
}
