import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { redriveLetters } from '../../../api/dead-letters.ts';
import { redriveBody } from '../../../api/redrive-body.ts';
import type { DeadLetter } from '../../../api/types.ts';
import { plain } from '../../../format.ts';
import { DiffView } from '../../../json/diff-view.tsx';
import { useAction } from '../../../live/use-action.ts';
import { useKey } from '../../../live/use-key.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorBox } from '../../../ui/states.tsx';
import { isFinished } from '../../finished.ts';
import { itemJson, jsonFault, placeOf, reindented } from '../item-json.ts';
import type { DialogOfLetters } from './discard-dialog.tsx';
import { draftOf, dropDrafts, keepDraft } from './drafts.ts';
import { TryResult } from './try-result.tsx';

export interface EditDialogProps extends DialogOfLetters {
  letter: DeadLetter;
}

/**
 * Corrects one item and runs it again. The text is sent exactly as typed, with every digit of its numbers, and is kept
 * as a draft until then.
 */
export function EditDialog({ batch, letter, onChange, onClose }: EditDialogProps): JSX.Element {
  const original = itemJson(letter);
  const draft = draftOf(batch.id, letter.index);
  const [sent, setSent] = useState<number>();
  const sending = useAction();
  const keyOf = useKey();
  const text = draft?.text ?? original;
  const fault = jsonFault(text);
  const drop = (): void => dropDrafts(batch.id, ({ index }) => index === letter.index);
  const type = (typed: string): void => {
    if (typed === original) drop();
    else keepDraft({ batch: batch.id, letter, text: typed });
  };
  const send = (): Promise<boolean> =>
    sending.run(async () => {
      const body = redriveBody({ corrected: [{ index: letter.index, text }] });
      const { revision } = await redriveLetters(batch.id, body, keyOf(body));
      drop();
      setSent(revision);
      onChange();
    });
  return (
    <Dialog title={letter.line === null ? placeOf(letter) : `${placeOf(letter)} of the upload`} wide onClose={onClose}>
      <form
        class="dialog-body"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        {sent !== undefined ? (
          <TryResult batch={batch} letter={letter} revision={sent} />
        ) : (
          <ItemEditor letter={letter} text={text} original={original} fault={fault} onType={type} />
        )}
        {sending.error && <ErrorBox error={sending.error} />}
        <footer>
          {draft && (
            <Button look="quiet" onClick={drop}>
              Undo the correction
            </Button>
          )}
          <Button onClick={onClose}>{sent !== undefined ? 'Close' : draft ? 'Keep for later' : 'Keep as it is'}</Button>
          {sent === undefined && (
            <Button
              submit
              look="primary"
              icon="redo"
              busy={sending.busy}
              disabled={fault !== undefined || !isFinished(batch)}
              reason={isFinished(batch) ? undefined : 'The batch runs; when it is finished, this can be sent'}
            >
              Redrive corrected
            </Button>
          )}
        </footer>
      </form>
    </Dialog>
  );
}

interface ItemEditorProps {
  letter: DeadLetter;
  text: string;
  original: string;
  fault: string | undefined;
  onType: (typed: string) => void;
}

/** The error of an item, its text to edit, and the difference to the upload. */
const ItemEditor = ({ letter, text, original, fault, onType }: ItemEditorProps): JSX.Element => (
  <>
    <p class="cause-text">
      <bdi>{plain(letter.error.message)}</bdi>
    </p>
    <label class="field">
      <span>Item, as JSON</span>
      <textarea
        class="mono"
        spellcheck={false}
        rows={Math.min(18, text.split('\n').length + 1)}
        value={text}
        aria-invalid={fault !== undefined}
        onInput={(event) => onType(event.currentTarget.value)}
      />
    </label>
    {fault !== undefined && (
      <p class="tone-bad" role="status">
        {fault}
      </p>
    )}
    {fault === undefined && text !== original && (
      <DiffView name={placeOf(letter)} before={original} after={reindented(text)} />
    )}
  </>
);
