import type { JSX } from 'preact';
import type { PolicyView, QueueView } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { NumberField, OptionalNumberField } from './number-fields.tsx';

type Policy = PolicyView['policy'];
type Thresholds = Policy['thresholds'];

interface ThresholdFieldsProps {
  thresholds: Thresholds;
  onChange: (thresholds: Thresholds) => void;
}

const MOST_STEPS = 20;

/** The number of tasks by the number of waiting items; the last line applies to all larger numbers. */
function ThresholdFields({ thresholds, onChange }: ThresholdFieldsProps): JSX.Element {
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
          disabled={thresholds.length >= MOST_STEPS}
          reason={thresholds.length >= MOST_STEPS ? `A policy has at most ${MOST_STEPS} steps.` : undefined}
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

export interface PolicyFieldsProps {
  policy: Policy;
  kind: QueueView['kind'];
  onChange: (policy: Policy) => void;
}

/** The fields of a whole policy. */
export function PolicyFields({ policy, kind, onChange }: PolicyFieldsProps): JSX.Element {
  const change = (part: Partial<Policy>): void => onChange({ ...policy, ...part });
  return (
    <>
      <ThresholdFields thresholds={policy.thresholds} onChange={(thresholds) => change({ thresholds })} />
      <div class="field-row">
        <NumberField
          name="Maximum tasks per wave"
          value={policy.capacity}
          min={1}
          max={1000}
          onChange={(capacity) => change({ capacity })}
        />
        <NumberField
          name="Unused by bulk lanes, %"
          value={Math.round(policy.headroom * 100)}
          min={0}
          max={90}
          onChange={(percent) => change({ headroom: percent / 100 })}
        />
        <NumberField
          name="Seconds of work per task"
          value={policy.targetSeconds}
          min={0.1}
          max={600}
          step={0.1}
          onChange={(targetSeconds) => change({ targetSeconds })}
        />
      </div>
      <ReceiveFields policy={policy} kind={kind} onChange={change} />
    </>
  );
}

interface ReceiveFieldsProps {
  policy: Policy;
  /** Only queues of items receive uploads. */
  kind: QueueView['kind'];
  onChange: (part: Partial<Policy>) => void;
}

/** The limits of receives, and the depth at which an upload publishes a wake event; each is optional. */
const ReceiveFields = ({ policy, kind, onChange }: ReceiveFieldsProps): JSX.Element => (
  <>
    <div class="field-row top">
      <OptionalNumberField
        name="Receive size"
        help="Maximum messages per receive, 1 to 32. If empty, the plan decides."
        value={policy.receiveSize}
        min={1}
        max={32}
        onChange={(receiveSize) => onChange({ receiveSize })}
      />
      <OptionalNumberField
        name="Receive interval, ms"
        help="Minimum time between two receives of a task, up to 60,000. If empty, there is none."
        value={policy.receiveIntervalMs}
        min={0}
        max={60_000}
        onChange={(receiveIntervalMs) => onChange({ receiveIntervalMs })}
      />
    </div>
    {kind === 'items' && (
      <OptionalNumberField
        name="Notify from"
        help="Minimum waiting messages before an upload publishes a wake event, up to 1,000,000. If empty, each upload publishes one. Below the minimum, work waits for a larger upload, the sweep or Drain now."
        value={policy.notifyFrom}
        min={1}
        max={1_000_000}
        onChange={(notifyFrom) => onChange({ notifyFrom })}
      />
    )}
  </>
);
