import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { discardLetters } from '../../../api/dead-letters.ts';
import type { BatchView } from '../../../api/types.ts';
import { formatNumberOf, plain } from '../../../format.ts';
import { useKey } from '../../../live/use-key.ts';
import { Confirm } from '../../../ui/confirm.tsx';
import { Field } from '../../../ui/form.tsx';
import type { Scope } from '../cause-panel.tsx';

export interface DialogOfLetters {
  batch: BatchView;
  onChange: () => void;
  onDone: (result: string) => void;
  onClose: () => void;
}

/** Requests a reason, which is stored with the batch, and discards dead letters. */
export function DiscardDialog(props: DialogOfLetters & { scope: Scope }): JSX.Element {
  const { batch, scope, onChange, onDone, onClose } = props;
  const [typed, setTyped] = useState('');
  const keyOf = useKey();
  const reason = typed.trim();
  const items = formatNumberOf(scope.count, 'item');
  const discard = async (): Promise<void> => {
    const choice = { ...scope.choice, reason };
    const { discarded } = await discardLetters(batch.id, choice, keyOf(choice));
    onDone(`${formatNumberOf(discarded, 'item')} discarded. A new report follows.`);
    onChange();
  };
  return (
    <Confirm
      title={`Discard ${items}?`}
      action={`Discard ${items}`}
      danger
      disabled={reason === ''}
      onConfirm={discard}
      onClose={onClose}
    >
      <p>
        {scope.count === 1 ? 'It counts' : 'They count'} as discarded from then on, and cannot be redriven any more. No
        item runs; a new report follows.
      </p>
      {scope.title !== undefined && (
        <p class="cause-text">
          <bdi>{plain(scope.title)}</bdi>
        </p>
      )}
      <ReasonField value={typed} onChange={setTyped} />
    </Confirm>
  );
}

/** The field for the reason of a discard. */
export const ReasonField = ({ value, onChange }: { value: string; onChange: (value: string) => void }): JSX.Element => (
  <Field name="Reason">
    <input
      required
      maxLength={200}
      placeholder="Kept with the batch"
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  </Field>
);
