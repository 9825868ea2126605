import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import type { Overview, SweepAnswer } from '../api/types.ts';
import { formatNumberOf } from '../format.ts';
import { useAction } from '../live/use-action.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form } from '../ui/form.tsx';

export interface SweepDialogProps {
  queues: Overview['queues'];
  onClose: () => void;
  onChange: () => void;
}

/** Explains what a sweep will check, runs it, and shows its repairs. */
export function SweepDialog({ queues, onClose, onChange }: SweepDialogProps): JSX.Element {
  const [answer, setAnswer] = useState<SweepAnswer>();
  const sweeping = useAction();
  const sweep = (): Promise<boolean> =>
    sweeping.run(async () => {
      setAnswer(await api.json('POST sweep'));
      onChange();
    });
  const batches = formatNumberOf(queues.batches, 'open batch', 'open batches');
  return (
    <Dialog title="Sweep now?" onClose={onClose}>
      <Form
        error={sweeping.error}
        onSubmit={() => sweep()}
        buttons={
          <>
            <Button onClick={onClose}>{answer ? 'Close' : 'Keep as it is'}</Button>
            {!answer && (
              <Button submit look="primary" busy={sweeping.busy}>
                Sweep now
              </Button>
            )}
          </>
        }
      >
        <p>
          It checks {batches} and {formatNumberOf(queues.count, 'queue')}, and repairs what was lost: messages,
          announcements, stuck drains. It changes nothing that works. A timer also runs it regularly.
        </p>
        {answer && <Done answer={answer} />}
      </Form>
    </Dialog>
  );
}

function Done({ answer }: { answer: SweepAnswer }): JSX.Element {
  const { open, done } = answer;
  const checked = formatNumberOf(open, 'open batch', 'open batches');
  return (
    <div role="status">
      <p>
        Checked {checked}: {done.length === 0 ? 'there was nothing to repair.' : 'this was done.'}
      </p>
      <ul class="bullets">
        {done.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  );
}
