import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { pauseQueue } from '../api/queues.ts';
import { Confirm } from '../ui/confirm.tsx';

export interface QueueDialogProps {
  queue: string;
  onClose: () => void;
  onChange: () => void;
}

/** Asks for a reason, which everybody sees who looks at the queue. */
export function PauseDialog({ queue, onClose, onChange }: QueueDialogProps): JSX.Element {
  const [reason, setReason] = useState('');
  const pause = async (): Promise<void> => {
    await pauseQueue(queue, reason.trim());
    onChange();
  };
  return (
    <Confirm title={`Pause ${queue}?`} action="Pause" onClose={onClose} onConfirm={pause}>
      <p>No drain starts any more, and one that runs ends after its wave. Uploads are still accepted, and wait.</p>
      <label class="field">
        <span>Reason</span>
        <input
          maxLength={200}
          placeholder="Shown beside the queue"
          value={reason}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </label>
    </Confirm>
  );
}
