import type { JSX } from 'preact';
import { DayField, LabelField, SearchField, WorkloadField } from '../filters/fields.tsx';
import { setParameters } from '../routing.ts';
import { Button } from '../ui/button.tsx';

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
