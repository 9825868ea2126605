import type { JSX } from 'preact';
import { useId } from 'preact/hooks';

interface NumberFieldProps {
  name: string;
  value: number;
  min: number;
  max: number;
  step?: number;
  onChange: (value: number) => void;
}

/** A number within bounds; the browser reports invalid input. */
export function NumberField({ name, value, min, max, step = 1, onChange }: NumberFieldProps): JSX.Element {
  return (
    <label class="field">
      <span>{name}</span>
      <input
        type="number"
        required
        {...{ value, min, max, step }}
        onInput={(event) => {
          const typed = event.currentTarget.valueAsNumber;
          if (!Number.isNaN(typed)) onChange(typed);
        }}
      />
    </label>
  );
}

interface OptionalNumberFieldProps extends Omit<NumberFieldProps, 'value' | 'onChange'> {
  value: number | undefined;
  /** The effect of the value, and the behavior if the field is empty. */
  help: string;
  onChange: (value: number | undefined) => void;
}

/** An optional number within bounds. */
export function OptionalNumberField({
  name,
  value,
  help,
  min,
  max,
  step = 1,
  onChange,
}: OptionalNumberFieldProps): JSX.Element {
  const id = useId();
  return (
    <label class="field">
      <span>{name}</span>
      <input
        type="number"
        aria-describedby={id}
        placeholder="not set"
        {...{ value: value ?? '', min, max, step }}
        onInput={({ currentTarget: { valueAsNumber, validity } }) => {
          // Incomplete input such as "-" also has no value, but the field is not empty.
          if (!validity.badInput) onChange(Number.isNaN(valueAsNumber) ? undefined : valueAsNumber);
        }}
      />
      <small id={id}>{help}</small>
    </label>
  );
}
