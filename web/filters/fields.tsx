/** Fields by which a page narrows what it shows. Their names are for screen readers alone. */
import type { JSX } from 'preact';
import { fetchWorkloads } from '../api/queues.ts';
import { useLook } from '../live/use-look.ts';

interface SearchFieldProps {
  name: string;
  value: string;
  /** Default: the name. */
  placeholder?: string;
  title?: string;
  /** Called once the text is complete, without the white space around it. */
  onChange: (text: string) => void;
}

/** A field for text. */
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
  /** Text of the choice that is empty; absent: there is none. */
  all?: string;
  choices: readonly string[];
  /** Default: the choice itself. */
  textOf?: (choice: string) => string;
}

/** A choice of one. */
export const ChoiceField = ({
  name,
  value,
  all,
  choices,
  textOf = String,
  onChange,
}: ChoiceFieldProps): JSX.Element => (
  <label>
    <span class="unseen">{name}</span>
    <select value={value} onInput={({ currentTarget }) => onChange(currentTarget.value)}>
      {all !== undefined && <option value="">{all}</option>}
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {textOf(choice)}
        </option>
      ))}
    </select>
  </label>
);

/** A choice of one workload, or of all. */
export function WorkloadField(props: FieldProps): JSX.Element {
  const workloads = useLook({ key: ['workloads'], load: fetchWorkloads });
  return <ChoiceField name="Workload" all="All workloads" choices={workloads.data ?? []} {...props} />;
}
