import type { JSX } from 'preact';
import type { PolicyView, QueueView } from '../api/types.ts';
import { NumberField, OptionalNumberField } from './number-fields.tsx';
import { ThresholdFields } from './threshold-fields.tsx';

type Policy = PolicyView['policy'];

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
