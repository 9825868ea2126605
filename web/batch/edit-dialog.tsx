import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { redriveLetters } from '../api/dead-letters.ts';
import type { DeadLetter } from '../api/types.ts';
import { useAction } from '../live/use-action.ts';
import { batchHref, goTo } from '../routing.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorBox } from '../ui/states.tsx';

export interface EditDialogProps {
  batch: string;
  letter: DeadLetter;
  onChange: () => void;
  onClose: () => void;
}

/** Corrects one item and runs it again. What is typed is sent as it stands, with every digit of its numbers. */
export function EditDialog({ batch, letter, onChange, onClose }: EditDialogProps): JSX.Element {
  const { index, line, item, error } = letter;
  const [text, setText] = useState(() => (item === undefined ? '{}' : JSON.stringify(item, null, 2)));
  const fault = faultOf(text);
  const sending = useAction();
  const key = useRef({ text: '', id: '' });
  const send = async (): Promise<void> => {
    // Another text is another redrive; the same one again, after a lost answer, is the same.
    if (key.current.text !== text) key.current = { text, id: crypto.randomUUID() };
    const choice = { corrected: { index, text } };
    if (!(await sending.run(() => redriveLetters(batch, choice, key.current.id)))) return;
    onChange();
    onClose();
    goTo(batchHref(batch));
  };
  return (
    <Dialog title={line === null ? `Item ${index}` : `Line ${line} of the upload`} wide onClose={onClose}>
      <form
        class="dialog-body"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <p class="cause-text">{error.message}</p>
        <label class="field">
          <span>Item, as JSON</span>
          <textarea
            class="mono"
            spellcheck={false}
            rows={Math.min(18, text.split('\n').length + 1)}
            value={text}
            aria-invalid={fault !== undefined}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        {fault !== undefined && (
          <p class="tone-bad" role="status">
            {fault}
          </p>
        )}
        {sending.error && <ErrorBox error={sending.error} />}
        <footer>
          <Button onClick={onClose}>Keep as it is</Button>
          <Button submit look="primary" icon="redo" busy={sending.busy} disabled={fault !== undefined}>
            Redrive corrected
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

function faultOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'Not JSON';
  }
}
