import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { plain } from '../format.ts';
import { Confirm } from './confirm.tsx';

/** The pause that a dialog ends: when it began, and what the server says about it. */
export interface ShownPause {
  since: string;
  text: string;
}

export interface ResumeDialogProps {
  title: string;
  /** The present pause; undefined if it has ended meanwhile. */
  pause: ShownPause | undefined;
  /** What starts when the pause ends. */
  children: ComponentChildren;
  /** Receives the start of the pause that the dialog has shown. */
  onResume: (since: string) => Promise<unknown>;
  onClose: () => void;
}

/**
 * Confirms the end of a pause. It keeps the pause that it showed when it was opened: the app refuses to end another one, which
 * somebody began in the meantime.
 */
export function ResumeDialog({ title, pause, children, onResume, onClose }: ResumeDialogProps): JSX.Element {
  const [shown] = useState(pause);
  return (
    <Confirm title={title} action="Resume" onClose={onClose} onConfirm={() => onResume(shown?.since ?? '')}>
      {shown && (
        <p class="sentence">
          <bdi>{plain(shown.text)}</bdi>
        </p>
      )}
      <p>{children}</p>
    </Confirm>
  );
}
