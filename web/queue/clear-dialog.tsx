import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import type { ClearedQueue, QueueView } from '../api/types.ts';
import { formatNumberOf } from '../format.ts';
import { useAction } from '../live/use-action.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Form } from '../ui/form.tsx';

export interface ClearDialogProps {
  queue: Pick<QueueView, 'queue' | 'workload' | 'lane'>;
  onClose: () => void;
  onChange: () => void;
}

/** Requires the name of the queue before clearing it, and offers to repeat while messages are left. */
export function ClearDialog({ queue: { queue, workload, lane }, onClose, onChange }: ClearDialogProps): JSX.Element {
  const [typed, setTyped] = useState('');
  const [cleared, setCleared] = useState<Cleared>();
  const clearing = useAction();
  const clear = async (): Promise<void> => {
    await clearing.run(async () => {
      const { batches, messages, left } = await api.json('POST queues/{queue}/clear', {
        path: { queue },
        body: { confirm: queue },
      });
      setCleared((before = NOTHING) => ({
        batches: before.batches + batches,
        messages: before.messages + messages,
        left,
      }));
      onChange();
    });
  };
  const done = cleared?.left === 0;
  return (
    <Dialog title={`Clear ${queue}?`} onClose={onClose}>
      <Form
        error={clearing.error}
        onSubmit={() => clear()}
        buttons={
          <>
            <Button onClick={onClose}>{cleared ? 'Close' : 'Keep as it is'}</Button>
            {!done && (
              <Button submit look="danger" busy={clearing.busy} disabled={typed.trim() !== queue}>
                {cleared ? 'Clear again' : 'Clear queue'}
              </Button>
            )}
          </>
        }
      >
        <p>
          The open batches of <b>{workload}</b>, lane {lane}, are cancelled and the messages of this queue are deleted.
          Existing results stay; unfinished items cannot be resumed.
        </p>
        {!done && (
          <Field name={`Type the name of the queue: ${queue}`}>
            <input
              class="mono"
              autocomplete="off"
              spellcheck={false}
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </Field>
        )}
        {cleared && <p role="status">{clearedText(cleared)}</p>}
      </Form>
    </Dialog>
  );
}

type Cleared = Omit<ClearedQueue, 'queue'>;

const NOTHING: Cleared = { batches: 0, messages: 0, left: 0 };

const clearedText = ({ batches, messages, left }: Cleared): string =>
  `${formatNumberOf(batches, 'batch', 'batches')} cancelled, ${formatNumberOf(messages, 'message')} deleted, ${
    left === 0 ? 'nothing left.' : `${formatNumberOf(left, 'message')} left: repeat it to clear the rest.`
  }`;
