import type { JSX } from 'preact';
import { redriveLetters } from '../../../api/dead-letters.ts';
import { redriveBody } from '../../../api/redrive-body.ts';
import type { DeadLetter } from '../../../api/types.ts';
import { formatNumberOf } from '../../../format.ts';
import { useAction } from '../../../live/use-action.ts';
import { useKey } from '../../../live/use-key.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorBox } from '../../../ui/states.tsx';
import { isFinished } from '../../finished.ts';
import { jsonFault, placeOf } from '../item-json.ts';
import type { DialogOfLetters } from './discard-dialog.tsx';
import { draftsOf, dropDrafts } from './drafts.ts';

export interface DraftsProps extends Omit<DialogOfLetters, 'onClose'> {
  onEdit: (letter: DeadLetter) => void;
}

/** The unsent corrections of a batch, including items that another operator has redriven since. */
export function Drafts({ batch, onEdit, onChange, onDone }: DraftsProps): JSX.Element | null {
  const sending = useAction();
  const keyOf = useKey();
  const drafts = draftsOf(batch.id);
  if (drafts.length === 0) return null;
  const broken = drafts.filter(({ text }) => jsonFault(text) !== undefined);
  const send = async (): Promise<void> => {
    const body = redriveBody({ corrected: drafts.map(({ letter, text }) => ({ index: letter.index, text })) });
    const { redriven, revision } = await redriveLetters(batch.id, body, keyOf(body));
    dropDrafts(batch.id, () => true);
    onDone(`${formatNumberOf(redriven, 'item')} corrected and run again, in revision ${revision}.`);
    onChange();
  };
  return (
    <section class="panel drafts" aria-label="Corrections that are not sent">
      <p>
        <b>{formatNumberOf(drafts.length, 'correction')} not sent:</b>{' '}
        {drafts.map(({ letter }) => (
          <Button key={letter.index} look="quiet" size="small" onClick={() => onEdit(letter)}>
            {placeOf(letter)}
          </Button>
        ))}
      </p>
      {sending.error && <ErrorBox error={sending.error} />}
      <div class="cause-actions">
        <Button
          icon="redo"
          size="small"
          busy={sending.busy}
          disabled={broken.length > 0 || !isFinished(batch)}
          reason={broken.length > 0 ? `${formatNumberOf(broken.length, 'correction')} not JSON yet` : undefined}
          onClick={() => void sending.run(send)}
        >
          Redrive {formatNumberOf(drafts.length, 'correction')}
        </Button>
        <Button look="quiet" size="small" onClick={() => dropDrafts(batch.id, () => true)}>
          Forget {drafts.length === 1 ? 'it' : 'them'}
        </Button>
      </div>
    </section>
  );
}
