import type { JSX } from 'preact';
import { formatNumberOf } from '../format.ts';
import { Confirm } from '../ui/confirm.tsx';

export interface ResumeQueueDialogProps {
  queue: string;
  /** The waiting work, as far as known. */
  waiting: { messages: number; items?: number; batches?: number } | undefined;
  onResume: () => Promise<unknown>;
  onClose: () => void;
}

/** Shows what starts when the pause of a queue ends, before ending it. */
export const ResumeQueueDialog = ({ queue, waiting, onResume, onClose }: ResumeQueueDialogProps): JSX.Element => (
  <Confirm title={`Resume ${queue}?`} action="Resume" onClose={onClose} onConfirm={onResume}>
    <p>The pause ends, and a drain starts if anything waits{waiting === undefined ? '' : `: ${textOf(waiting)}`}.</p>
  </Confirm>
);

const textOf = ({ messages, items, batches }: NonNullable<ResumeQueueDialogProps['waiting']>): string =>
  [
    formatNumberOf(messages, 'message'),
    ...(items === undefined || batches === undefined
      ? []
      : [`${formatNumberOf(items, 'item')} in ${formatNumberOf(batches, 'batch', 'batches')}`]),
  ].join(', ');
