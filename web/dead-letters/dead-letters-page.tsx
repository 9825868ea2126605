import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api, filterQuery } from '../api/client.ts';
import type { DeadLettersOfBatches } from '../api/types.ts';
import { formatCount, formatNumberOf } from '../format.ts';
import { usePolled } from '../live/use-polled.ts';
import { parameters } from '../routing.ts';
import { Freshness } from '../ui/freshness.tsx';
import { PageHead } from '../ui/pieces.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { type AskedOfBatches, CauseOfBatches } from './cause-of-batches.tsx';
import { type LettersFilter, LettersFilters } from './letters-filters.tsx';
import { OverBatches } from './over-batches.tsx';

/** The dead letters of all batches by cause and workload, with actions on all dead letters of a cause. */
export function DeadLettersPage(): JSX.Element {
  const [asked, setAsked] = useState<AskedOfBatches>();
  const filter = filterOf(parameters.value);
  const polled = usePolled({
    key: ['dead-letters', filter],
    load: (signal) => api.json('GET dead-letters', { query: filterQuery(filter), signal }),
    isMoving: () => false,
    keepPrevious: true,
  });
  return (
    <>
      <PageHead title="Dead letters" note="Items that could not be processed, over all batches, by cause.">
        <Freshness polled={polled} />
      </PageHead>
      <LettersFilters filter={filter} />
      <Loaded polled={polled}>{(found) => <Found found={found} onAsk={setAsked} />}</Loaded>
      {asked && <OverBatches asked={asked} onChange={polled.refresh} onClose={() => setAsked(undefined)} />}
    </>
  );
}

const filterOf = (values: URLSearchParams): LettersFilter => {
  const value = (name: string): string => values.get(name) ?? '';
  return {
    ...{ workload: value('workload'), label: value('label'), cause: value('cause') },
    ...{ from: value('from'), to: value('to') },
  };
};

interface FoundProps {
  found: DeadLettersOfBatches;
  onAsk: (asked: AskedOfBatches) => void;
}

function Found({
  found: { from, to, count, groups, otherCauses, scanned, notScanned },
  onAsk,
}: FoundProps): JSX.Element {
  const when = `${from === to ? `of ${to}` : `from ${from} to ${to}`} (UTC)`;
  if (count === 0)
    return (
      <Empty icon="check" title="No dead letters">
        <p>None in the matching batches {when}.</p>
      </Empty>
    );
  return (
    <>
      <p class="section-head">
        <span>
          {formatNumberOf(count, 'item')} of {formatNumberOf(groups.length, 'cause')}
          {otherCauses > 0 && `, ${formatCount(otherCauses)} of them of causes that their batches do not list`}
          <span class="soft">
            {' '}
            · {formatNumberOf(scanned, 'batch', 'batches')} {when} checked
            {notScanned > 0 && `, ${formatCount(notScanned)} unfinished ones not`}
          </span>
        </span>
      </p>
      {groups.map((group) => (
        <CauseOfBatches key={`${group.workload} ${group.cause}`} group={group} onAsk={onAsk} />
      ))}
    </>
  );
}
