import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { redriveLetters } from '../../../api/dead-letters.ts';
import { type LetterChoice, redriveBody } from '../../../api/redrive-body.ts';
import type { DeadLetter, Redriven } from '../../../api/types.ts';
import { formatCount, formatNumberOf, plain } from '../../../format.ts';
import { type FieldChange, patchOf } from '../../../json/field-changes.ts';
import { useAction } from '../../../live/use-action.ts';
import { useKey } from '../../../live/use-key.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorBox } from '../../../ui/states.tsx';
import { isFinished } from '../../finished.ts';
import type { Scope } from '../scope.ts';
import { IgnoredDrafts, Previews } from './before-redrive.tsx';
import { ChangeFields, NEW_CHANGE } from './change-fields.tsx';
import { type DialogOfLetters, forgetDrafts } from './discard-dialog.tsx';
import { RateField, rateFault } from './rate-field.tsx';
import { isOver, TryResult } from './try-result.tsx';

export interface RedriveDialogProps extends DialogOfLetters {
  scope: Scope;
  /** Opens with one field change. */
  isCorrecting?: boolean;
}

/** An item that ran before the others. */
interface Tried {
  letter: DeadLetter;
  revision: number;
}

/** Runs dead letters again, unchanged or with some fields changed. Optionally runs one of them first. */
export function RedriveDialog(props: RedriveDialogProps): JSX.Element {
  const { batch, scope, isCorrecting = false, onChange, onDone, onClose } = props;
  const [changes, setChanges] = useState<readonly FieldChange[]>(isCorrecting ? [NEW_CHANGE] : []);
  const [rate, setRate] = useState('');
  const [tried, setTried] = useState<readonly Tried[]>([]);
  const sending = useAction();
  const keyOf = useKey();
  const patched = changes.length === 0 ? { patch: undefined } : patchOf(changes);
  const fault = 'fault' in patched ? patched.fault : rateFault(rate);
  const done = new Set(tried.map(({ letter }) => letter.index));
  const rest = restOf(scope, done);
  const next = rest.letters[0];
  const last = tried.at(-1);
  const isWaiting = !isFinished(batch) || (last !== undefined && !isOver(batch, last.revision));

  const send = (choice: LetterChoice): Promise<Redriven> => {
    const patch = 'patch' in patched ? patched.patch : undefined;
    const body = redriveBody({ ...choice, patch, ratePerSecond: rate === '' ? undefined : Number(rate) });
    return redriveLetters(batch.id, body, keyOf(body));
  };
  const tryOne = async (letter: DeadLetter): Promise<void> => {
    const items = { choice: { items: [letter.index] } };
    const { revision } = await send(items.choice);
    forgetDrafts(batch.id, items);
    setTried([...tried, { letter, revision }]);
    onChange();
  };
  const redrive = async (): Promise<void> => {
    const { redriven, unreadable, revision } = await send(rest.choice);
    forgetDrafts(batch.id, rest);
    const left = unreadable === 0 ? '' : ` ${formatNumberOf(unreadable, 'item')} cannot be read and stay.`;
    onDone(`${formatNumberOf(redriven, 'item')} run again, in revision ${revision} of this batch.${left}`);
    onChange();
    onClose();
  };
  const items = formatNumberOf(rest.count, 'item');
  return (
    <Dialog title={`Redrive ${formatNumberOf(scope.count, 'item')}?`} wide onClose={onClose}>
      <form
        class="dialog-body"
        onSubmit={(event) => {
          event.preventDefault();
          void sending.run(redrive);
        }}
      >
        <p>
          {changes.length === 0
            ? 'They run again unchanged, with the currently deployed workload.'
            : 'They run again with these fields changed; all other fields stay as uploaded.'}{' '}
          Succeeded items are not affected; a new report follows.
        </p>
        {scope.title !== undefined && (
          <p class="cause-text">
            <bdi>{plain(scope.title)}</bdi>
          </p>
        )}
        <IgnoredDrafts batch={batch.id} scope={rest} />
        <ChangeFields changes={changes} onChange={setChanges} />
        {fault !== undefined && changes.some(({ path }) => path !== '') && (
          <p class="tone-bad" role="status">
            {fault}
          </p>
        )}
        <RateField rate={rate} count={rest.count} onChange={setRate} />
        {tried.length === 0 && 'patch' in patched && patched.patch !== undefined && (
          <Previews letters={rest.letters} count={rest.count} patch={patched.patch} />
        )}
        {last && <TryResult batch={batch} letter={last.letter} revision={last.revision} />}
        {sending.error && <ErrorBox error={sending.error} />}
        <footer>
          <Button onClick={onClose}>{tried.length === 0 ? 'Keep as it is' : 'Leave the others'}</Button>
          {next && rest.count > 1 && (
            <Button
              busy={sending.busy}
              disabled={fault !== undefined || isWaiting}
              onClick={() => void sending.run(() => tryOne(next))}
            >
              {tried.length === 0 ? 'Try one first' : 'Try another'}
            </Button>
          )}
          {rest.count > 0 && (
            <Button submit look="primary" icon="redo" busy={sending.busy} disabled={fault !== undefined || isWaiting}>
              {tried.length === 0 ? `Redrive ${items}` : `Redrive the other ${formatCount(rest.count)}`}
            </Button>
          )}
        </footer>
      </form>
    </Dialog>
  );
}

/** Returns a scope without the items that were tried. */
function restOf({ choice, count, letters, ...rest }: Scope, done: ReadonlySet<number>): Scope {
  return {
    ...rest,
    choice: choice.items === undefined ? choice : { items: choice.items.filter((index) => !done.has(index)) },
    count: Math.max(0, count - done.size),
    letters: letters.filter(({ index }) => !done.has(index)),
  };
}
