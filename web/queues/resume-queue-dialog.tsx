import type { JSX } from 'preact';
import { api } from '../api/client.ts';
import { formatNumberOf } from '../format.ts';
import { ResumeDialog, type ShownPause } from '../ui/resume-dialog.tsx';

export interface ResumeQueueDialogProps {
  queue: string;
  pause: ShownPause | undefined;
  /** The waiting work, as far as known. */
  waiting: { messages: number; items?: number; batches?: number } | undefined;
  act: (work: Promise<unknown>) => Promise<unknown>;
  onClose: () => void;
}

/** Shows what starts when the pause of a queue ends, before ending it. */
export const ResumeQueueDialog = ({ queue, pause, waiting, act, onClose }: ResumeQueueDialogProps): JSX.Element => (
  <ResumeDialog
    title={`Resume ${queue}?`}
    pause={pause}
    onResume={(since) => act(api.call('POST queues/{queue}/resume', { path: { queue }, body: { since } }))}
    onClose={onClose}
  >
    The pause ends, and a drain starts if anything waits{waiting === undefined ? '' : `: ${textOf(waiting)}`}.
  </ResumeDialog>
);

const textOf = ({ messages, items, batches }: NonNullable<ResumeQueueDialogProps['waiting']>): string =>
  [
    formatNumberOf(messages, 'message'),
    ...(items === undefined || batches === undefined
      ? []
      : [`${formatNumberOf(items, 'item')} in ${formatNumberOf(batches, 'batch', 'batches')}`]),
  ].join(', ');
