import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { fetchPolicy, savePolicy } from '../api/queues.ts';
import type { PolicyView } from '../api/types.ts';
import { useAction } from '../live/use-action.ts';
import { usePoll } from '../live/use-poll.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorBox, Loaded } from '../ui/states.tsx';
import { NumberField, ThresholdFields } from './policy-fields.tsx';

export interface PolicyDialogProps {
  queue: string;
  onClose: () => void;
  onChange: () => void;
}

/** Shows and changes how the waves of a queue are sized. */
export function PolicyDialog({ queue, onClose, onChange }: PolicyDialogProps): JSX.Element {
  const polled = usePoll({ subject: queue, load: () => fetchPolicy(queue) });
  return (
    <Dialog title={`Policy of ${queue}`} onClose={onClose}>
      <Loaded polled={polled}>
        {(view) => <PolicyForm key={view.version} view={view} onClose={onClose} onChange={onChange} />}
      </Loaded>
    </Dialog>
  );
}

type Policy = PolicyView['policy'];

function PolicyForm({ view, onClose, onChange }: { view: PolicyView } & Omit<PolicyDialogProps, 'queue'>): JSX.Element {
  const [policy, setPolicy] = useState<Policy>(view.policy);
  const saving = useAction();
  const change = (part: Partial<Policy>): void => setPolicy({ ...policy, ...part });
  const save = async (): Promise<void> => {
    if (!(await saving.run(() => savePolicy(view.queue, { version: view.version, policy })))) return;
    onChange();
    onClose();
  };
  return (
    <form
      class="dialog-body"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <p>
        {view.version === 0 ? 'The default policy.' : `Version ${view.version}.`} A change takes effect with the next
        wave; nothing is deployed for it.
      </p>
      <ThresholdFields thresholds={policy.thresholds} onChange={(thresholds) => change({ thresholds })} />
      <div class="field-row">
        <NumberField
          name="Most tasks of a wave"
          value={policy.capacity}
          min={1}
          max={1000}
          onChange={(capacity) => change({ capacity })}
        />
        <NumberField
          name="Bulk lanes leave free, %"
          value={Math.round(policy.headroom * 100)}
          min={0}
          max={90}
          onChange={(percent) => change({ headroom: percent / 100 })}
        />
        <NumberField
          name="Seconds of work a task"
          value={policy.targetSeconds}
          min={0.1}
          max={600}
          step={0.1}
          onChange={(targetSeconds) => change({ targetSeconds })}
        />
      </div>
      {saving.error && <ErrorBox error={saving.error} />}
      <footer>
        <Button onClick={onClose}>Keep as it is</Button>
        <Button submit look="primary" busy={saving.busy}>
          Save policy
        </Button>
      </footer>
    </form>
  );
}
