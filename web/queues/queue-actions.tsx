import type { ComponentChildren, JSX } from 'preact';
import type { QueueView } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import type { QueueDialog } from './queue-dialogs.tsx';

export interface QueueActionsProps {
  queue: QueueView;
  draining: boolean;
  onDrain: () => void;
  onOpen: (dialog: QueueDialog) => void;
  children?: ComponentChildren;
}

const PAUSED: Readonly<Record<NonNullable<QueueView['paused']>['by'], string>> = {
  operator: 'The queue is paused: resume it first.',
  circuit: 'The circuit has paused the queue: it waits for its probe.',
};

export const QueueActions = ({
  queue: { paused },
  draining,
  onDrain,
  onOpen,
  children,
}: QueueActionsProps): JSX.Element => (
  <div class="queue-actions">
    <Button
      icon="drain"
      look="quiet"
      size="small"
      busy={draining}
      disabled={paused !== null}
      reason={paused === null ? undefined : PAUSED[paused.by]}
      onClick={onDrain}
    >
      Drain now
    </Button>
    {paused ? (
      <Button icon="play" size="small" onClick={() => onOpen('resume')}>
        Resume
      </Button>
    ) : (
      <Button icon="pause" look="quiet" size="small" onClick={() => onOpen('pause')}>
        Pause
      </Button>
    )}
    {children}
  </div>
);
