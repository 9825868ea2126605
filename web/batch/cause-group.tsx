import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { causePath, type DeadLetterPage, fetchLetters } from '../api/dead-letters.ts';
import type { DeadLetter, DeadLetterGroup } from '../api/types.ts';
import { formatCount } from '../format.ts';
import { useAction } from '../live/use-action.ts';
import { Button } from '../ui/button.tsx';
import { Tag } from '../ui/pieces.tsx';
import { ErrorBox } from '../ui/states.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { LetterRow } from './letter-row.tsx';

export interface CauseGroupProps {
  batch: string;
  group: DeadLetterGroup;
  canRedrive: boolean;
  onRedrive: () => void;
  onRedriveItem: (index: number) => void;
  onChange: () => void;
}

/** Dead letters of one cause: an example, and all of them on demand. */
export function CauseGroup({
  batch,
  group,
  canRedrive,
  onRedrive,
  onRedriveItem,
  onChange,
}: CauseGroupProps): JSX.Element {
  const [page, setPage] = useState<DeadLetterPage>({ items: [group.example], next: undefined });
  const [started, setStarted] = useState(false);
  const [edited, setEdited] = useState<DeadLetter>();
  const action = useAction();
  const more = async (): Promise<void> => {
    const got = await fetchLetters(started && page.next ? page.next : causePath(batch, group.cause));
    setPage({ items: started ? [...page.items, ...got.items] : got.items, next: got.next });
    setStarted(true);
  };
  const title = group.example.error.message || group.cause;
  const hasMore = started ? page.next !== undefined : group.count > 1;
  return (
    <section class="panel cause">
      <header>
        <div>
          <Tag tone="warn">{group.reason}</Tag>
          <h2 class="cause-text">{title}</h2>
        </div>
        <Button icon="redo" size="small" disabled={!canRedrive} onClick={onRedrive}>
          Redrive {group.count === 1 ? 'it' : `these ${formatCount(group.count)}`}
        </Button>
      </header>
      <ul class="letters">
        {page.items.map((letter) => (
          <LetterRow
            key={letter.index}
            letter={letter}
            known={title}
            canRedrive={canRedrive}
            onEdit={() => setEdited(letter)}
            onRedrive={() => onRedriveItem(letter.index)}
          />
        ))}
      </ul>
      {action.error && <ErrorBox error={action.error} />}
      {hasMore && (
        <Button look="quiet" size="small" busy={action.busy} onClick={() => void action.run(more)}>
          {started ? 'Show more' : `Show all ${formatCount(group.count)}`}
        </Button>
      )}
      {edited && <EditDialog batch={batch} letter={edited} onChange={onChange} onClose={() => setEdited(undefined)} />}
    </section>
  );
}
