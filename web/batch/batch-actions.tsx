import type { JSX } from 'preact';
import { api } from '../api/client.ts';
import type { BatchView } from '../api/types.ts';
import { formatNumberOf } from '../format.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { PauseDialog } from '../ui/pause-dialog.tsx';
import { ResumeDialog } from '../ui/resume-dialog.tsx';
import { useDialog } from '../ui/use-dialog.ts';
import { isFinished } from './finished.ts';

export interface BatchActionsProps {
  batch: BatchView;
  onChange: () => void;
}

/** The buttons to pause, resume and cancel a batch, with their dialogs. */
export function BatchActions({ batch, onChange }: BatchActionsProps): JSX.Element {
  const { open, setOpen, close, act } = useDialog<'cancel' | 'pause' | 'resume'>(onChange);
  const { id, state, counts, progress, paused, notes } = batch;
  const path = { id };
  return (
    <>
      {(state === 'queued' || state === 'running') && (
        <Button icon="pause" onClick={() => setOpen('pause')}>
          Pause
        </Button>
      )}
      {state === 'paused' && (
        <Button icon="play" onClick={() => setOpen('resume')}>
          Resume
        </Button>
      )}
      {!isFinished(batch) && (
        <Button icon="close" disabled={state === 'cancelling'} onClick={() => setOpen('cancel')}>
          Cancel batch
        </Button>
      )}
      {open === 'pause' && (
        <PauseDialog
          title="Pause this batch?"
          onPause={(body) => act(api.call('POST batches/{id}/pause', { path, body }))}
          onClose={close}
        >
          Running chunks finish, and no more start. Other batches continue. The deadline does not change.
        </PauseDialog>
      )}
      {open === 'resume' && (
        <ResumeDialog
          title="Resume this batch?"
          pause={paused && { since: paused.since, text: notes[0]?.text ?? '' }}
          onResume={(since) => act(api.call('POST batches/{id}/resume', { path, body: { since } }))}
          onClose={close}
        >
          {formatNumberOf(counts.pending, 'pending item')} will go back to the queue.
          {progress && ' Chunks still running from before the pause may run a second time.'}
        </ResumeDialog>
      )}
      {open === 'cancel' && (
        <Confirm
          title="Cancel this batch?"
          action="Cancel batch"
          danger
          onConfirm={() => act(api.call('POST batches/{id}/cancel', { path }))}
          onClose={close}
        >
          <p>
            Results of finished items stay and can be downloaded. Of {formatNumberOf(counts.pending, 'item')} pending
            now, running ones stop within about 15 s, but chunks of less than 10 s may still start for 30 s. Unfinished
            items are cancelled, and cannot be resumed.
          </p>
        </Confirm>
      )}
    </>
  );
}
