import type { JSX } from 'preact';
import type { PolicyView, QueueView } from '../api/types.ts';
import { NumberField, type NumberFieldProps } from './number-fields.tsx';
import { ThresholdFields } from './threshold-fields.tsx';

type Policy = PolicyView['policy'];

/** A number of a policy; `factor` converts it to what the field shows. */
interface NumberOf extends Omit<NumberFieldProps, 'value' | 'onChange'> {
  field: Exclude<keyof Policy, 'thresholds'>;
  factor?: number;
}

const SIZES: readonly NumberOf[] = [
  { name: 'Maximum tasks per wave', field: 'capacity', min: 1, max: 1000 },
  { name: 'Unused by bulk lanes, %', field: 'headroom', min: 0, max: 90, factor: 100 },
  { name: 'Seconds of work per task', field: 'targetSeconds', min: 0.1, max: 600, step: 0.1 },
];
const RECEIVES: readonly NumberOf[] = [
  {
    ...{ name: 'Receive size', field: 'receiveSize', min: 1, max: 32 },
    help: 'Maximum messages per receive, 1 to 32. If empty, the plan decides.',
  },
  {
    ...{ name: 'Receive interval, ms', field: 'receiveIntervalMs', min: 0, max: 60_000 },
    help: 'Minimum time between two receives of a task, up to 60,000. If empty, there is none.',
  },
];
const NOTIFY_FROM: NumberOf = {
  ...{ name: 'Notify from', field: 'notifyFrom', min: 1, max: 1_000_000 },
  help: 'Minimum waiting messages before an upload publishes a wake event, up to 1,000,000. If empty, each upload publishes one. Below the minimum, work waits for a larger upload, the sweep or Drain now.',
};

export interface PolicyFieldsProps {
  policy: Policy;
  /** Only queues of items receive uploads. */
  kind: QueueView['kind'];
  onChange: (policy: Policy) => void;
}

/** The fields of a whole policy. */
export function PolicyFields({ policy, kind, onChange }: PolicyFieldsProps): JSX.Element {
  const number = ({ field, factor = 1, ...rest }: NumberOf): JSX.Element => {
    const value = policy[field];
    return (
      <NumberField
        key={field}
        {...rest}
        value={value === undefined || factor === 1 ? value : Math.round(value * factor)}
        onChange={(typed) => onChange({ ...policy, [field]: typed === undefined ? undefined : typed / factor })}
      />
    );
  };
  return (
    <>
      <ThresholdFields thresholds={policy.thresholds} onChange={(thresholds) => onChange({ ...policy, thresholds })} />
      <div class="field-row">{SIZES.map(number)}</div>
      <div class="field-row top">{RECEIVES.map(number)}</div>
      {kind === 'items' && number(NOTIFY_FROM)}
    </>
  );
}
