import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatCount, formatNumberOf, plain } from '../../../format.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Form } from '../../../ui/form.tsx';
import { isFinished } from '../../finished.ts';
import type { Scope } from '../cause-panel.tsx';
import type { DialogOfLetters } from './discard-dialog.tsx';
import { RateField, rateFault } from './rate-field.tsx';
import { isOver, TryResult } from './try-result.tsx';
import { useRedrive } from './use-redrive.ts';

/** Runs dead letters again, unchanged. Optionally runs one of them first. */
export function RedriveDialog(props: DialogOfLetters & { scope: Scope }): JSX.Element {
  const { batch, scope, onClose } = props;
  const [rate, setRate] = useState('');
  const { tried, rest, sending, tryOne, redrive } = useRedrive(props, rate);
  const next = rest.letters[0];
  const last = tried.at(-1);
  const isWaiting = !isFinished(batch) || (last !== undefined && !isOver(batch, last.revision));
  const disabled = rateFault(rate) !== undefined || isWaiting;
  const items = formatNumberOf(rest.count, 'item');
  return (
    <Dialog title={`Redrive ${formatNumberOf(scope.count, 'item')}?`} wide onClose={onClose}>
      <Form
        error={sending.error}
        onSubmit={() => redrive()}
        buttons={
          <>
            <Button onClick={onClose}>{tried.length === 0 ? 'Keep as it is' : 'Leave the others'}</Button>
            {next && rest.count > 1 && (
              <Button busy={sending.busy} disabled={disabled} onClick={() => void tryOne(next)}>
                {tried.length === 0 ? 'Try one first' : 'Try another'}
              </Button>
            )}
            {rest.count > 0 && (
              <Button submit look="primary" icon="redo" busy={sending.busy} disabled={disabled}>
                {tried.length === 0 ? `Redrive ${items}` : `Redrive the other ${formatCount(rest.count)}`}
              </Button>
            )}
          </>
        }
      >
        <p>
          They run again unchanged, with the currently deployed workload. Succeeded items are not affected; a new report
          follows.
        </p>
        {scope.title !== undefined && (
          <p class="cause-text">
            <bdi>{plain(scope.title)}</bdi>
          </p>
        )}
        <RateField rate={rate} count={rest.count} onChange={setRate} />
        {last && <TryResult batch={batch} letter={last.letter} revision={last.revision} />}
      </Form>
    </Dialog>
  );
}
