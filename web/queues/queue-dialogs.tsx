import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import type { QueueView } from '../api/types.ts';
import { useAction } from '../live/use-action.ts';
import { PauseDialog } from '../ui/pause-dialog.tsx';
import { ErrorBox } from '../ui/states.tsx';
import { ResumeQueueDialog } from './resume-queue-dialog.tsx';

export type QueueDialog = 'pause' | 'resume';

export interface QueueDialogsProps {
  dialog: QueueDialog;
  queue: QueueView;
  act: (work: Promise<unknown>) => Promise<void>;
  onClose: () => void;
}

/** Confirms the pause or the resumption of a queue. */
export function QueueDialogs({ dialog, queue, act, onClose }: QueueDialogsProps): JSX.Element {
  const { queue: name, depth, depthAt, backlog, paused, notes } = queue;
  if (dialog === 'pause')
    return (
      <PauseDialog
        title={`Pause ${name}?`}
        onPause={(body) => act(api.call('POST queues/{queue}/pause', { path: { queue: name }, body }))}
        onClose={onClose}
      >
        No new drain starts, and a running one ends after its wave. Uploads are still accepted, and wait.
      </PauseDialog>
    );
  return (
    <ResumeQueueDialog
      queue={name}
      pause={paused ? { since: paused.since, text: notes[0]?.text ?? '' } : undefined}
      waiting={depthAt === null ? undefined : { messages: depth, ...backlog }}
      act={act}
      onClose={onClose}
    />
  );
}

/** Manual wakes of queues, one at a time. */
export interface Drain {
  /** The queue of the request in progress; empty if there is none. */
  queue: string;
  run: (queue: string) => Promise<void>;
  /** The result of the last request. */
  result: JSX.Element;
}

/** Wakes queues manually, and keeps the result of the last request. */
export function useDrain(onChange: () => void): Drain {
  const [queue, setQueue] = useState('');
  const [result, setResult] = useState('');
  const action = useAction();
  const run = async (name: string): Promise<void> => {
    setQueue(name);
    setResult('');
    await action.run(async () => {
      const { status } = await api.json('POST queues/{queue}/drain', { path: { queue: name } });
      setResult(status === 'draining' ? `${name}: a drain runs.` : `${name}: nothing waits, so no drain was started.`);
      onChange();
    });
  };
  return {
    queue: action.busy ? queue : '',
    run,
    result: (
      <>
        {action.error && <ErrorBox error={action.error} />}
        {result !== '' && (
          <p class="action-result" role="status">
            {result}
          </p>
        )}
      </>
    ),
  };
}
