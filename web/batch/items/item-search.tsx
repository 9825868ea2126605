import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type Found, findItems } from '../../api/pages.ts';
import { formatCount, formatNumberOf } from '../../format.ts';
import { useAction } from '../../live/use-action.ts';
import { usePolled } from '../../live/use-polled.ts';
import { MoreButton } from '../../ui/more-button.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { ItemTable } from './item-table.tsx';

/** The items of a batch with an id. */
export function ItemSearch({ batch, id }: { batch: string; id: string }): JSX.Element {
  const polled = usePolled({
    key: ['item', batch, id],
    load: () => findItems({ path: { id: batch }, query: { itemId: id } }),
  });
  return <Loaded polled={polled}>{(found) => <FoundItems first={found} id={id} />}</Loaded>;
}

function FoundItems({ first, id }: { first: Found; id: string }): JSX.Element {
  const [found, setFound] = useState(first);
  const action = useAction();
  const { items, more, until, next } = found;
  const load = async (): Promise<void> => {
    if (next === undefined) return;
    const page = await findItems(next);
    setFound({ ...page, items: [...items, ...page.items], more: more + page.more });
  };
  return (
    <>
      {items.length > 0 ? (
        <ItemTable items={items} />
      ) : (
        <Empty icon="search" title="No such item">
          <p>
            {next ? `None of the first ${formatNumberOf(until, 'item')} has` : 'No item of this batch has'} the id{' '}
            <span class="mono">{id}</span>.
          </p>
        </Empty>
      )}
      {more > 0 && <p class="soft">{formatCount(more)} more have this id.</p>}
      <MoreButton more={{ next, action, load }}>Search further</MoreButton>
    </>
  );
}
