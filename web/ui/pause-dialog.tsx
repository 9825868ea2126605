import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { BodyOf } from '../../shared/client/index.ts';
import { Confirm } from './confirm.tsx';
import { Field } from './form.tsx';

export interface PauseDialogProps {
  title: string;
  children: ComponentChildren;
  onPause: (wish: BodyOf<'POST queues/{queue}/pause'>) => Promise<unknown>;
  onClose: () => void;
}

/** The ends that can be chosen, in minutes; 0 means none. */
const ENDS: readonly (readonly [minutes: number, text: string])[] = [
  [0, 'when somebody resumes it'],
  [15, 'after 15 minutes'],
  [60, 'after 1 hour'],
  [8 * 60, 'after 8 hours'],
  [24 * 60, 'after 1 day'],
];

/** Asks for a reason, which is shown to all users beside the paused subject, and for an end. */
export function PauseDialog({ title, children, onPause, onClose }: PauseDialogProps): JSX.Element {
  const [reason, setReason] = useState('');
  const [minutes, setMinutes] = useState(0);
  const wish = {
    ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
    ...(minutes === 0 ? {} : { forSeconds: minutes * 60 }),
  };
  return (
    <Confirm title={title} action="Pause" onClose={onClose} onConfirm={() => onPause(wish)}>
      <p>{children}</p>
      <Field name="Reason">
        <input
          maxLength={200}
          placeholder="Shown beside it"
          value={reason}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </Field>
      <Field name="Ends">
        <select value={minutes} onChange={(event) => setMinutes(Number(event.currentTarget.value))}>
          {ENDS.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </Field>
    </Confirm>
  );
}
