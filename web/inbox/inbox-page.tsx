import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { fetchInbox, type InboxPageData } from '../api/inbox.ts';
import type { InboxFile } from '../api/types.ts';
import { useAction } from '../live/use-action.ts';
import { usePoll } from '../live/use-poll.ts';
import { Button } from '../ui/button.tsx';
import { PageHead } from '../ui/pieces.tsx';
import { Empty, ErrorBox, Loaded } from '../ui/states.tsx';
import { InboxTable } from './inbox-table.tsx';

/** A look into the inbox is rare, and a page of rejected files is a read for each. */
const EVERY_MS = 10_000;

/** The files in the inbox, and those that were rejected, with the reason. */
export function InboxPage(): JSX.Element {
  const polled = usePoll({
    subject: 'inbox',
    everyMs: () => EVERY_MS,
    load: (signal) => fetchInbox('inbox', { signal }),
  });
  return (
    <>
      <PageHead title="Inbox" note="Files that wait to become batches, are being taken, or were rejected." />
      <Loaded polled={polled}>{(page) => <InboxPages first={page} onChange={polled.refresh} />}</Loaded>
    </>
  );
}

/** The first page, which is live, and those that somebody asked for after it. */
function InboxPages({ first, onChange }: { first: InboxPageData; onChange: () => void }): JSX.Element {
  const [more, setMore] = useState<InboxPageData>();
  const action = useAction();
  const next = more ? more.next : first.next;
  const load = async (): Promise<void> => {
    if (next === undefined) return;
    const page = await fetchInbox(next);
    setMore({ files: [...(more?.files ?? []), ...page.files], next: page.next });
  };
  const idOf = ({ state, name }: InboxFile): string => `${state} ${name}`;
  const known = new Set(first.files.map(idOf));
  const files = [...first.files, ...(more?.files ?? []).filter((file) => !known.has(idOf(file)))];
  const changed = (): void => {
    setMore(undefined);
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
      {action.error && <ErrorBox error={action.error} />}
      {next && (
        <div class="more">
          <Button busy={action.busy} onClick={() => void action.run(load)}>
            More files
          </Button>
        </div>
      )}
    </>
  );
}
