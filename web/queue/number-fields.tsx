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

/** A number within bounds; the browser says what is wrong with it. */
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
  /** What it does, and what holds while it is empty. */
  help: string;
  onChange: (value: number | undefined) => void;
}

/** A number within bounds, or none. */
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
          // What is no number yet, such as "-", has no value either, but is not an empty field.
          if (!validity.badInput) onChange(Number.isNaN(valueAsNumber) ? undefined : valueAsNumber);
        }}
      />
      <small id={id}>{help}</small>
    </label>
  );
}
