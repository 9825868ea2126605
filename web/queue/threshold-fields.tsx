import type { JSX } from 'preact';
import type { PolicyView } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { NumberField } from './number-fields.tsx';

type Thresholds = PolicyView['policy']['thresholds'];

export interface ThresholdFieldsProps {
  thresholds: Thresholds;
  onChange: (thresholds: Thresholds) => void;
}

const MAX_STEPS = 20;

/** The number of tasks by the number of waiting items; the last line applies to all larger numbers. */
export function ThresholdFields({ thresholds, onChange }: ThresholdFieldsProps): JSX.Element {
  const set = (index: number, part: Partial<Thresholds[number]>): void =>
    onChange(thresholds.map((each, at) => (at === index ? { ...each, ...part } : each)));
  return (
    <fieldset class="thresholds">
      <legend>Dequeue tasks by items waiting</legend>
      {thresholds.map(({ below, tasks }, index) => (
        <div key={index} class="step">
          {below === undefined ? (
            <span class="field-text">{thresholds.length === 1 ? 'any number' : 'more than that'}</span>
          ) : (
            <NumberField
              name="Fewer than"
              value={below}
              min={(thresholds[index - 1]?.below ?? 0) + 1}
              max={1e9}
              onChange={(value = below) => set(index, { below: value })}
            />
          )}
          <NumberField
            name="Tasks"
            value={tasks}
            min={1}
            max={1000}
            onChange={(value = tasks) => set(index, { tasks: value })}
          />
          {below !== undefined && (
            <Button
              icon="close"
              look="quiet"
              label={`Remove step ${index + 1}`}
              onClick={() => onChange(thresholds.filter((_, at) => at !== index))}
            />
          )}
        </div>
      ))}
      <div>
        <Button
          size="small"
          disabled={thresholds.length >= MAX_STEPS}
          reason={thresholds.length >= MAX_STEPS ? `A policy has at most ${MAX_STEPS} steps.` : undefined}
          onClick={() => onChange(withStep(thresholds))}
        >
          Add a step
        </Button>
      </div>
    </fieldset>
  );
}

/** Adds a step before the last one: ten times the items of the step below it, and the tasks of the last one. */
function withStep(thresholds: Thresholds): Thresholds {
  const [last] = thresholds.slice(-1);
  const below = Math.min(1e9, (thresholds.at(-2)?.below ?? 10) * 10);
  return [...thresholds.slice(0, -1), { below, tasks: last?.tasks ?? 1 }, ...thresholds.slice(-1)];
}
