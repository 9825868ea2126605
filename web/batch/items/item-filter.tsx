import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { BatchView, ItemState } from '../../api/types.ts';
import { formatCount, formatName } from '../../format.ts';
import { Button } from '../../ui/button.tsx';

/** The states that a batch counts; it has no count of `unknown`. */
export const STATES = [
  'pending',
  'succeeded',
  'dead',
  'discarded',
  'cancelled',
] as const satisfies readonly ItemState[];

export interface ItemFilterProps {
  counts: BatchView['counts'];
  /** Empty means any state. */
  state: ItemState | '';
  /** The id to search for; empty means no search. */
  id: string;
  onState: (state: ItemState | '') => void;
  onSearch: (id: string) => void;
}

/** The number of items per state, each usable as a filter, and a search by id. */
export function ItemFilter({ counts, state, id, onState, onSearch }: ItemFilterProps): JSX.Element {
  const [typed, setTyped] = useState(id);
  return (
    <search class="filters item-filter">
      <fieldset class="states">
        <legend class="unseen">State</legend>
        <StateButton
          name="All"
          count={counts.accepted}
          chosen={id === '' && state === ''}
          onChoose={() => onState('')}
        />
        {STATES.map((each) => (
          <StateButton
            key={each}
            name={formatName(each)}
            count={counts[each]}
            chosen={id === '' && state === each}
            onChoose={() => onState(each)}
          />
        ))}
      </fieldset>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSearch(typed.trim());
        }}
      >
        <input
          type="search"
          aria-label="Id of an item"
          placeholder="Id of an item"
          maxLength={256}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <Button submit icon="search">
          Find
        </Button>
      </form>
    </search>
  );
}

interface StateButtonProps {
  name: string;
  count: number;
  chosen: boolean;
  onChoose: () => void;
}

const StateButton = ({ name, count, chosen, onChoose }: StateButtonProps): JSX.Element => (
  <button type="button" class="button plain small" aria-pressed={chosen} onClick={onChoose}>
    {name} <b>{formatCount(count)}</b>
  </button>
);
