import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Confirm } from './confirm.tsx';

export interface PauseDialogProps {
  title: string;
  /** The effect of a pause. */
  children: ComponentChildren;
  onPause: (reason: string) => Promise<unknown>;
  onClose: () => void;
}

/** Asks for a reason, which is shown to all users beside the paused subject. */
export function PauseDialog({ title, children, onPause, onClose }: PauseDialogProps): JSX.Element {
  const [reason, setReason] = useState('');
  return (
    <Confirm title={title} action="Pause" onClose={onClose} onConfirm={() => onPause(reason.trim())}>
      <p>{children}</p>
      <label class="field">
        <span>Reason</span>
        <input
          maxLength={200}
          placeholder="Shown beside it"
          value={reason}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </label>
    </Confirm>
  );
}
