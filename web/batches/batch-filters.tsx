import type { JSX } from 'preact';
import { ChoiceField, DayField, LabelField, SearchField, WorkloadField } from '../filters/fields.tsx';
import { formatName } from '../format.ts';
import { Button } from '../ui/button.tsx';
import { TONES } from '../ui/pieces.tsx';

/**
 * Filters of a listing, by parameter name; empty ones are ignored. `label` is `key=value`, `search` the beginning or end
 * of an id, or a part of a label's value or of the file name.
 */
export type BatchFilter = Record<'workload' | 'state' | 'day' | 'label' | 'search', string>;

const NO_FILTER: BatchFilter = { workload: '', state: '', day: '', label: '', search: '' };

/** Reads the filter from the address. */
export const filterOf = (values: URLSearchParams): BatchFilter =>
  Object.fromEntries(Object.keys(NO_FILTER).map((name) => [name, values.get(name) ?? ''])) as BatchFilter;

/** Whether the filter excludes any batch. */
export const isFiltered = (filter: BatchFilter): boolean => Object.values(filter).some((value) => value !== '');

export interface BatchFiltersProps {
  filter: BatchFilter;
  onChange: (filter: BatchFilter) => void;
}

/** Filters the listing; the server applies them. */
export function BatchFilters({ filter, onChange }: BatchFiltersProps): JSX.Element {
  const set = (part: Partial<BatchFilter>): void => onChange({ ...filter, ...part });
  return (
    <search class="filters">
      <SearchField
        name="Search"
        placeholder="Id, label, file"
        title="Beginning or end of an id, or a part of a label or of the file name"
        value={filter.search}
        onChange={(search) => set({ search })}
      />
      <WorkloadField value={filter.workload} onChange={(workload) => set({ workload })} />
      <ChoiceField
        name="State"
        all="All states"
        value={filter.state}
        choices={Object.keys(TONES)}
        textOf={formatName}
        onChange={(state) => set({ state })}
      />
      <DayField name="Day (UTC)" value={filter.day} onChange={(day) => set({ day })} />
      <LabelField value={filter.label} onChange={(label) => set({ label })} />
      {isFiltered(filter) && (
        <Button icon="close" look="quiet" onClick={() => onChange(NO_FILTER)}>
          Clear
        </Button>
      )}
    </search>
  );
}
