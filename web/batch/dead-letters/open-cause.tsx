import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { fetchLetters, type Page } from '../../api/pages.ts';
import type { DeadLetter } from '../../api/types.ts';
import { formatCount } from '../../format.ts';
import { type More, useMore } from '../../live/use-more.ts';
import { usePolled } from '../../live/use-polled.ts';
import { parameters, setParameters } from '../../routing.ts';
import { Button } from '../../ui/button.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import { ErrorBox, Loading } from '../../ui/states.tsx';
import type { Asked } from './cause-panel.tsx';
import { CausePanel, scopeOf, titleOf } from './cause-panel.tsx';
import { causeKey, type Group } from './groups.ts';
import { hasText } from './item-json.ts';
import { LetterRow } from './letter-row.tsx';

export interface CauseProps {
  batch: string;
  group: Group;
  /** The newest revision that was seen finished. */
  finishedRevision: number | undefined;
  canAct: boolean;
  isOpen: boolean;
  onOpen: (open: boolean) => void;
  onAsk: (asked: Asked) => void;
}

/** Items on a page, of which the first is read each time a cause is opened. */
const PAGE = 100;
const NONE: Page<DeadLetter> = { entries: [], next: undefined };

/** All dead letters of one cause, page by page, with search and selection. */
export function OpenCause({ batch, group, finishedRevision, canAct, onOpen, onAsk }: CauseProps): JSX.Element {
  const top = useRef<HTMLDivElement>(null);
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const polled = usePolled({
    // The dead letters do not change until the batch finishes again.
    key: ['letters', batch, causeKey(group.cause), finishedRevision],
    load: (signal) => {
      const query = { format: 'json', cause: group.cause, limit: PAGE };
      return fetchLetters({ path: { id: batch }, query }, signal);
    },
    keepPrevious: true,
  });
  const more = useMore(polled.data ?? NONE, { keyOf: ({ index }) => index, fetchPage: fetchLetters });
  useEffect(() => {
    more.reset();
    setSelected(new Set());
  }, [finishedRevision]);
  useEffect(() => top.current?.scrollIntoView({ block: 'nearest' }), []);
  const find = parameters.value.get('find') ?? '';
  const shown = find === '' ? more.entries : more.entries.filter((letter) => hasText(letter, find));
  const select = (isSelected: boolean, letters: readonly DeadLetter[]): void => {
    const next = new Set(selected);
    for (const { index } of letters) isSelected ? next.add(index) : next.delete(index);
    setSelected(next);
  };
  return (
    <div ref={top}>
      <CausePanel group={group} scope={scopeOf(group, more.entries, selected)} canAct={canAct} onAsk={onAsk}>
        <LetterTools
          {...{ find, shown, selected }}
          loaded={more.entries.length}
          count={group.count}
          onSelectAll={(isSelected) => select(isSelected, shown)}
          onClose={() => onOpen(false)}
        />
        {polled.error && <ErrorBox error={polled.error} />}
        {polled.data === undefined && !polled.error && <Loading />}
        <ul class="letters">
          {shown.map((letter) => (
            <LetterRow
              key={letter.index}
              letter={letter}
              known={titleOf(group)}
              canAct={canAct}
              onAsk={onAsk}
              isSelected={selected.has(letter.index)}
              onSelect={(isSelected) => select(isSelected, [letter])}
            />
          ))}
        </ul>
        <Rest {...{ more, polled, count: group.count }} />
      </CausePanel>
    </div>
  );
}

interface ToolsProps {
  find: string;
  shown: readonly DeadLetter[];
  selected: ReadonlySet<number>;
  loaded: number;
  count: number;
  onSelectAll: (isSelected: boolean) => void;
  onClose: () => void;
}

/** Search and selection among the dead letters loaded so far. */
function LetterTools({ find, shown, selected, loaded, count, onSelectAll, onClose }: ToolsProps): JSX.Element {
  const isAll = shown.length > 0 && shown.every(({ index }) => selected.has(index));
  return (
    <div class="letter-tools">
      <label class="check">
        <input type="checkbox" checked={isAll} onChange={({ currentTarget }) => onSelectAll(currentTarget.checked)} />
        Select {find === '' ? 'all' : 'the'} {formatCount(shown.length)} shown
      </label>
      <label>
        <span class="unseen">Search in these dead letters</span>
        <input
          type="search"
          placeholder="Line, or text of the item"
          value={find}
          onInput={({ currentTarget }) => setParameters({ find: currentTarget.value.trim() })}
        />
      </label>
      <span class="soft" role="status">
        {find !== '' && `${formatCount(shown.length)} found among `}
        {formatCount(loaded)} of {formatCount(Math.max(count, loaded))} loaded
        {selected.size > 0 && `, ${formatCount(selected.size)} selected`}
      </span>
      <Button look="quiet" size="small" icon="close" onClick={onClose}>
        Close
      </Button>
    </div>
  );
}

interface RestProps {
  more: More<DeadLetter>;
  polled: { data: unknown; refresh: () => void };
  count: number;
}

/** A button for the next page; if new dead letters have appeared since the last page, a button that reads all again. */
function Rest({ more, polled, count }: RestProps): JSX.Element | null {
  if (more.next !== undefined || more.action.error) return <MoreButton more={more}>Show more</MoreButton>;
  if (polled.data === undefined || count <= more.entries.length) return null;
  return (
    <div class="more">
      <Button onClick={polled.refresh}>Show new dead letters</Button>
    </div>
  );
}
