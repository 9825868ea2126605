import type { JSX } from 'preact';
import type { PolicyView } from '../api/types.ts';

type Thresholds = PolicyView['policy']['thresholds'];

export interface NumberFieldProps {
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

export interface ThresholdFieldsProps {
  thresholds: Thresholds;
  onChange: (thresholds: Thresholds) => void;
}

/** How many tasks by the items that wait; the last line is for all beyond. */
export function ThresholdFields({ thresholds, onChange }: ThresholdFieldsProps): JSX.Element {
  const set = (index: number, part: Partial<Thresholds[number]>): void =>
    onChange(thresholds.map((each, at) => (at === index ? { ...each, ...part } : each)));
  return (
    <fieldset class="thresholds">
      <legend>Dequeue tasks by items waiting</legend>
      {thresholds.map(({ below, tasks }, index) => (
        <div key={index} class="field-row">
          {below === undefined ? (
            <span class="field-text">more than that</span>
          ) : (
            <NumberField
              name="Fewer than"
              value={below}
              min={1}
              max={1e9}
              onChange={(value) => set(index, { below: value })}
            />
          )}
          <NumberField
            name="Tasks"
            value={tasks}
            min={1}
            max={1000}
            onChange={(value) => set(index, { tasks: value })}
          />
        </div>
      ))}
    </fieldset>
  );
}
