import type { JSX } from 'preact';
import type { BatchFilter } from '../api/batches.ts';
import { fetchWorkloads } from '../api/queues.ts';
import { formatName } from '../format.ts';
import { usePoll } from '../live/use-poll.ts';
import { Button } from '../ui/button.tsx';
import { TONES } from '../ui/pieces.tsx';

/** All batches. */
export const NO_FILTER: BatchFilter = { workload: '', state: '', day: '', label: '' };

export interface BatchFiltersProps {
  filter: BatchFilter;
  onChange: (filter: BatchFilter) => void;
}

/** Narrows the listing; the server does it. */
export function BatchFilters({ filter, onChange }: BatchFiltersProps): JSX.Element {
  const workloads = usePoll({ subject: 'workloads', load: fetchWorkloads });
  const set = (part: Partial<BatchFilter>): void => {
    const next = { ...filter, ...part };
    onChange(Object.values(next).every((value) => value === '') ? NO_FILTER : next);
  };
  return (
    <search class="filters">
      <Choice
        name="Workload"
        all="All workloads"
        value={filter.workload}
        choices={workloads.data ?? []}
        onChange={(workload) => set({ workload })}
      />
      <Choice
        name="State"
        all="All states"
        value={filter.state}
        choices={Object.keys(TONES)}
        onChange={(state) => set({ state })}
      />
      <label>
        <span class="unseen">Day (UTC)</span>
        <input
          type="date"
          title="Day (UTC)"
          value={filter.day}
          onInput={(event) => set({ day: event.currentTarget.value })}
        />
      </label>
      <label>
        <span class="unseen">Label</span>
        <input
          type="search"
          placeholder="label=value"
          title="Label as key=value"
          value={filter.label}
          onChange={({ currentTarget }) => set({ label: currentTarget.value.trim() })}
        />
      </label>
      {filter !== NO_FILTER && (
        <Button icon="close" look="quiet" onClick={() => onChange(NO_FILTER)}>
          Clear
        </Button>
      )}
    </search>
  );
}

interface ChoiceProps {
  name: string;
  all: string;
  value: string;
  choices: readonly string[];
  onChange: (value: string) => void;
}

function Choice({ name, all, value, choices, onChange }: ChoiceProps): JSX.Element {
  return (
    <label>
      <span class="unseen">{name}</span>
      <select value={value} onInput={(event) => onChange(event.currentTarget.value)}>
        <option value="">{all}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {name === 'State' ? formatName(choice) : choice}
          </option>
        ))}
      </select>
    </label>
  );
}
