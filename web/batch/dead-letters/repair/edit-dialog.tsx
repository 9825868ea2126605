import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { parseExact } from '../../../../shared/contract/text/exact-json.ts';
import { redriveLetters } from '../../../api/dead-letters.ts';
import type { DeadLetter } from '../../../api/types.ts';
import { faultsOfItem } from '../../../api/upload.ts';
import { plain } from '../../../format.ts';
import { useAction } from '../../../live/use-action.ts';
import { useKey } from '../../../live/use-key.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Form } from '../../../ui/form.tsx';
import { isFinished } from '../../finished.ts';
import { itemJson, jsonFault, placeOf, reindented } from '../item-json.ts';
import { DiffView } from './diff-view.tsx';
import type { DialogOfLetters } from './discard-dialog.tsx';
import { TryResult } from './try-result.tsx';

export interface EditDialogProps extends DialogOfLetters {
  letter: DeadLetter;
}

/** The faults of a text by the schema of the workload. */
interface Checked {
  text: string;
  faults: readonly string[];
}

/**
 * Corrects one item and runs it again. It is sent with every digit of its numbers. One that does not fit the schema of
 * the workload is sent only on a second request, because it would be a dead letter again.
 */
export function EditDialog({ batch, letter, onChange, onClose }: EditDialogProps): JSX.Element {
  const original = itemJson(letter);
  const [text, setText] = useState(original);
  const [checked, setChecked] = useState<Checked>();
  const [sent, setSent] = useState<number>();
  const sending = useAction();
  const keyOf = useKey();
  const fault = jsonFault(text);
  const faults = fault === undefined ? (checked?.text === text ? checked.faults : []) : [fault];
  const send = (): Promise<boolean> =>
    sending.run(async () => {
      if (checked?.text !== text) {
        const found = await faultsOfItem(batch.workload, text);
        setChecked({ text, faults: found });
        if (found.length > 0) return;
      }
      const body = { corrected: [{ index: letter.index, item: parseExact(text) }] };
      const { revision } = await redriveLetters(batch.id, body, keyOf(body));
      setSent(revision);
      onChange();
    });
  return (
    <Dialog title={letter.line === null ? placeOf(letter) : `${placeOf(letter)} of the upload`} wide onClose={onClose}>
      <Form
        error={sending.error}
        onSubmit={() => send()}
        buttons={
          <>
            <Button onClick={onClose}>{sent === undefined ? 'Keep as it is' : 'Close'}</Button>
            {sent === undefined && (
              <Button
                submit
                look="primary"
                icon="redo"
                busy={sending.busy}
                disabled={fault !== undefined || !isFinished(batch)}
                reason={isFinished(batch) ? undefined : 'The batch runs; when it is finished, this can be sent'}
              >
                {fault === undefined && faults.length > 0 ? 'Redrive all the same' : 'Redrive corrected'}
              </Button>
            )}
          </>
        }
      >
        {sent !== undefined ? (
          <TryResult batch={batch} letter={letter} revision={sent} />
        ) : (
          <ItemEditor {...{ letter, text, original, faults, isJson: fault === undefined, onType: setText }} />
        )}
      </Form>
    </Dialog>
  );
}

interface ItemEditorProps {
  letter: DeadLetter;
  text: string;
  original: string;
  faults: readonly string[];
  isJson: boolean;
  onType: (typed: string) => void;
}

/** The error of an item, its text to edit, what is wrong with the text, and its difference to the upload. */
const ItemEditor = ({ letter, text, original, faults, isJson, onType }: ItemEditorProps): JSX.Element => (
  <>
    <p class="cause-text">
      <bdi>{plain(letter.error.message)}</bdi>
    </p>
    <Field name="Item, as JSON">
      <textarea
        class="mono"
        spellcheck={false}
        rows={Math.min(18, text.split('\n').length + 1)}
        value={text}
        aria-invalid={faults.length > 0}
        onInput={(event) => onType(event.currentTarget.value)}
      />
    </Field>
    {faults.map((each) => (
      <p key={each} class="tone-bad" role="status">
        <bdi>{plain(each)}</bdi>
      </p>
    ))}
    {isJson && text !== original && <DiffView name={placeOf(letter)} before={original} after={reindented(text)} />}
  </>
);
