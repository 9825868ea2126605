import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { Field } from '../ui/form.tsx';

export interface NumberFieldProps {
  name: string;
  value: number | undefined;
  min: number;
  max: number;
  step?: number;
  /** The effect of the value, and the behavior if the field is empty. Without it, the field must not be empty. */
  help?: string;
  onChange: (value: number | undefined) => void;
}

/** A number within bounds; the browser reports invalid input. */
export function NumberField({ name, value, min, max, step = 1, help, onChange }: NumberFieldProps): JSX.Element {
  const id = useId();
  return (
    <Field name={name}>
      <input
        type="number"
        required={help === undefined}
        aria-describedby={help === undefined ? undefined : id}
        placeholder={help === undefined ? '' : 'not set'}
        {...{ value: value ?? '', min, max, step }}
        onInput={({ currentTarget: { valueAsNumber, validity } }) => {
          const typed = Number.isNaN(valueAsNumber) ? undefined : valueAsNumber;
          // Incomplete input such as "-" also has no value, but the field is not empty.
          if (typed !== undefined || (help !== undefined && !validity.badInput)) onChange(typed);
        }}
      />
      {help !== undefined && <small id={id}>{help}</small>}
    </Field>
  );
}
