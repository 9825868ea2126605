import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatCount, formatNumberOf, plain } from '../../../format.ts';
import { type FieldChange, patchOf } from '../../../json/field-changes.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorBox } from '../../../ui/states.tsx';
import { isFinished } from '../../finished.ts';
import type { Scope } from '../scope.ts';
import { IgnoredDrafts, Previews } from './before-redrive.tsx';
import { ChangeFields, NEW_CHANGE } from './change-fields.tsx';
import type { DialogOfLetters } from './discard-dialog.tsx';
import { RateField, rateFault } from './rate-field.tsx';
import { isOver, TryResult } from './try-result.tsx';
import { useRedrive } from './use-redrive.ts';

export interface RedriveDialogProps extends DialogOfLetters {
  scope: Scope;
  /** Opens with one field change. */
  isCorrecting?: boolean;
}

/** Runs dead letters again, unchanged or with some fields changed. Optionally runs one of them first. */
export function RedriveDialog(props: RedriveDialogProps): JSX.Element {
  const { batch, scope, isCorrecting = false, onClose } = props;
  const [changes, setChanges] = useState<readonly FieldChange[]>(isCorrecting ? [NEW_CHANGE] : []);
  const [rate, setRate] = useState('');
  const patched = changes.length === 0 ? { patch: undefined } : patchOf(changes);
  const fault = 'fault' in patched ? patched.fault : rateFault(rate);
  const patch = 'patch' in patched ? patched.patch : undefined;
  const { tried, rest, sending, tryOne, redrive } = useRedrive(props, { patch, rate });
  const next = rest.letters[0];
  const last = tried.at(-1);
  const isWaiting = !isFinished(batch) || (last !== undefined && !isOver(batch, last.revision));
  const items = formatNumberOf(rest.count, 'item');
  return (
    <Dialog title={`Redrive ${formatNumberOf(scope.count, 'item')}?`} wide onClose={onClose}>
      <form
        class="dialog-body"
        onSubmit={(event) => {
          event.preventDefault();
          void redrive();
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
        {tried.length === 0 && patch !== undefined && (
          <Previews letters={rest.letters} count={rest.count} patch={patch} />
        )}
        {last && <TryResult batch={batch} letter={last.letter} revision={last.revision} />}
        {sending.error && <ErrorBox error={sending.error} />}
        <footer>
          <Button onClick={onClose}>{tried.length === 0 ? 'Keep as it is' : 'Leave the others'}</Button>
          {next && rest.count > 1 && (
            <Button busy={sending.busy} disabled={fault !== undefined || isWaiting} onClick={() => void tryOne(next)}>
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
