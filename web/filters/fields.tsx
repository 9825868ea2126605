/** Fields that filter the content of a page. Their names are only for screen readers. */
import type { JSX } from 'preact';
import { api } from '../api/client.ts';
import { usePolled } from '../live/use-polled.ts';

interface SearchFieldProps {
  name: string;
  value: string;
  placeholder?: string;
  title?: string;
  /** Called with the complete text, without surrounding white space. */
  onChange: (text: string) => void;
}

/** A text field. */
export const SearchField = ({ name, value, placeholder = name, title, onChange }: SearchFieldProps): JSX.Element => (
  <label>
    <span class="unseen">{name}</span>
    <input
      type="search"
      {...{ placeholder, title, value }}
      onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
    />
  </label>
);

interface FieldProps {
  value: string;
  onChange: (value: string) => void;
}

/** A field for a label, as `key=value`. */
export const LabelField = (props: FieldProps): JSX.Element => (
  <SearchField name="Label" placeholder="label=value" title="Label as key=value" {...props} />
);

/** A field for a day (UTC). */
export const DayField = ({ name, value, onChange }: FieldProps & { name: string }): JSX.Element => (
  <label>
    <span class="unseen">{name}</span>
    <input type="date" title={name} value={value} onInput={({ currentTarget }) => onChange(currentTarget.value)} />
  </label>
);

interface ChoiceFieldProps extends FieldProps {
  name: string;
  /** Text of the empty choice; if absent, there is none. */
  all?: string;
  choices: readonly string[];
  textOf?: (choice: string) => string;
  /** Shows the name above the field. */
  named?: boolean;
  disabled?: boolean;
}

export const ChoiceField = ({
  name,
  value,
  all,
  choices,
  textOf = String,
  named = false,
  disabled = false,
  onChange,
}: ChoiceFieldProps): JSX.Element => (
  <label class={named ? 'field' : ''}>
    <span class={named ? '' : 'unseen'}>{name}</span>
    <select value={value} disabled={disabled} onInput={({ currentTarget }) => onChange(currentTarget.value)}>
      {all !== undefined && <option value="">{all}</option>}
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {textOf(choice)}
        </option>
      ))}
    </select>
  </label>
);

/** A select field for one workload, or all. */
export function WorkloadField(props: FieldProps): JSX.Element {
  const workloads = usePolled({ key: ['workloads'], load: async () => (await api.json('GET health')).workloads });
  return <ChoiceField name="Workload" all="All workloads" choices={workloads.data ?? []} {...props} />;
}
