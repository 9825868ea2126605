import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api, filterQuery } from '../api/client.ts';
import type { DeadLettersOfBatches } from '../api/types.ts';
import { DayField, LabelField, SearchField, WorkloadField } from '../filters/fields.tsx';
import { formatCount, formatNumberOf } from '../format.ts';
import { usePolled } from '../live/use-polled.ts';
import { parameters, setParameters } from '../routing.ts';
import { Button } from '../ui/button.tsx';
import { Freshness } from '../ui/freshness.tsx';
import { PageHead } from '../ui/pieces.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { type AskedOfBatches, CauseOfBatches } from './cause-of-batches.tsx';
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

/** Filters of the dead letters of many batches, by parameter name. Empty ones are ignored. */
export type LettersFilter = Record<'workload' | 'label' | 'cause' | 'from' | 'to', string>;

const NONE: LettersFilter = { workload: '', label: '', cause: '', from: '', to: '' };

/** Filters the dead letters; the server applies the filter, and the address contains it. */
export function LettersFilters({ filter }: { filter: LettersFilter }): JSX.Element {
  const set = (part: Partial<LettersFilter>): void => setParameters(part, { push: true });
  return (
    <search class="filters">
      <WorkloadField value={filter.workload} onChange={(workload) => set({ workload })} />
      <SearchField name="Text of the cause" value={filter.cause} onChange={(cause) => set({ cause })} />
      <LabelField value={filter.label} onChange={(label) => set({ label })} />
      <DayField name="From day (UTC)" value={filter.from} onChange={(from) => set({ from })} />
      <DayField name="To day (UTC)" value={filter.to} onChange={(to) => set({ to })} />
      {Object.values(filter).some((value) => value !== '') && (
        <Button icon="close" look="quiet" onClick={() => set(NONE)}>
          Clear
        </Button>
      )}
    </search>
  );
}
