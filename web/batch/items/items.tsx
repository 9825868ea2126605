import type { JSX } from 'preact';
import { filledIn } from '../../api/client.ts';
import { fetchItems, type Page } from '../../api/pages.ts';
import type { BatchView, ItemState, ListedItem } from '../../api/types.ts';
import { formatName } from '../../format.ts';
import { useMore } from '../../live/use-more.ts';
import { usePolled } from '../../live/use-polled.ts';
import { parameters, setParameters } from '../../routing.ts';
import { MoreButton } from '../../ui/more-button.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { canProgress, isFinished } from '../finished.ts';
import { ItemFilter, STATES } from './item-filter.tsx';
import { ItemSearch } from './item-search.tsx';
import { ItemTable } from './item-table.tsx';

/** The items of a batch and their outcomes. */
export function Items({ batch }: { batch: BatchView }): JSX.Element {
  const values = parameters.value;
  const state = STATES.find((each) => each === values.get('state')) ?? '';
  const id = values.get('item') ?? '';
  return (
    <>
      <ItemFilter
        counts={batch.counts}
        state={state}
        id={id}
        onState={(chosen) => setParameters({ state: chosen, item: '' }, { push: true })}
        onSearch={(wanted) => setParameters({ item: wanted }, { push: true })}
      />
      {id === '' ? (
        <Listing key={state} batch={batch} state={state} />
      ) : (
        <ItemSearch key={id} batch={batch.id} id={id} />
      )}
    </>
  );
}

/** As many rows as a person can scan; their results are read, too. */
const PAGE = 100;

function Listing({ batch, state }: { batch: BatchView; state: ItemState | '' }): JSX.Element {
  const finished = isFinished(batch);
  const polled = usePolled({
    // Refreshes once more when the batch finishes, because the last refresh was earlier.
    key: ['items', batch.id, state, batch.revision, finished],
    load: (signal) =>
      fetchItems({ path: { id: batch.id }, query: { ...filledIn({ state }), limit: PAGE, results: true } }, signal),
    isMoving: () => canProgress(batch),
  });
  return <Loaded polled={polled}>{(page) => <Pages first={page} state={state} />}</Loaded>;
}

/** The first page, which is live, and the further pages that the user has loaded. */
function Pages({ first, state }: { first: Page<ListedItem>; state: string }): JSX.Element {
  const more = useMore(first, { keyOf: ({ position }) => position, fetchPage: fetchItems });
  const { entries: items, next } = more;
  return (
    <>
      {items.length > 0 ? (
        <ItemTable items={items} />
      ) : (
        <Empty icon="search" title={state === '' ? 'No items' : `No item is ${formatName(state).toLowerCase()}`}>
          {next && <p>None so far: each request reads a part of a large batch.</p>}
        </Empty>
      )}
      <MoreButton more={more}>More items</MoreButton>
    </>
  );
}
