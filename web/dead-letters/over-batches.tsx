import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { discardLetters, redriveLetters } from '../api/dead-letters.ts';
import { ReasonField } from '../batch/dead-letters/repair/discard-dialog.tsx';
import { RateField, rateFault, rateOf } from '../batch/dead-letters/repair/rate-field.tsx';
import { isFinished } from '../batch/finished.ts';
import { formatNumberOf, plain } from '../format.ts';
import { areOver, runOver, type Step } from '../steps/run-over.ts';
import { StepsList } from '../steps/steps-list.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form } from '../ui/form.tsx';
import { type AskedOfBatches, BatchLink, type BatchOfCause } from './cause-of-batches.tsx';

export interface OverBatchesProps {
  asked: AskedOfBatches;
  onChange: () => void;
  onClose: () => void;
}

/**
 * Redrives or discards a cause in its batches one after the other, and shows each result. Closing the dialog stops it.
 */
export function OverBatches({ asked: { kind, group }, onChange, onClose }: OverBatchesProps): JSX.Element {
  // Batches found while the dialog is open must not change what the user confirmed.
  const [batches] = useState(() => group.batches.filter(isFinished));
  const [typed, setTyped] = useState('');
  const [steps, setSteps] = useState<readonly Step[]>();
  const stopped = useRef(false);
  const stop = (): void => {
    stopped.current = true;
  };
  useEffect(() => stop, []);
  const isRedrive = kind === 'redrive';
  const fault = isRedrive ? rateFault(typed) !== undefined : typed.trim() === '';
  const work = isRedrive ? redriver(group.cause, typed) : discarder(group.cause, typed.trim());
  const isOver = steps !== undefined && areOver(steps);
  const run = async (): Promise<void> => {
    await runOver({ subjects: batches, work, isStopped: () => stopped.current, onSteps: setSteps });
    onChange();
  };
  const items = formatNumberOf(
    batches.reduce((sum, { count }) => sum + count, 0),
    'item',
  );
  const verb = isRedrive ? 'Redrive' : 'Discard';
  return (
    <Dialog
      title={`${verb} ${items} in ${formatNumberOf(batches.length, 'batch', 'batches')}${steps ? '' : '?'}`}
      wide
      onClose={onClose}
    >
      <Form
        error={undefined}
        onSubmit={() => run()}
        buttons={
          <>
            {steps === undefined && <Button onClick={onClose}>Keep as it is</Button>}
            {steps === undefined && (
              <Button submit look={isRedrive ? 'primary' : 'danger'} disabled={fault || batches.length === 0}>
                {verb} {items}
              </Button>
            )}
            {steps && !isOver && <Button onClick={stop}>Stop after this batch</Button>}
            {isOver && <Button onClick={onClose}>Close</Button>}
          </>
        }
      >
        <p class="cause-text">
          <bdi>{plain(group.cause)}</bdi>
        </p>
        {steps === undefined ? (
          <Plan asked={{ kind, group }} batches={batches} typed={typed} onType={setTyped} />
        ) : (
          <StepsList {...{ batches, steps }} nameOf={(batch) => <BatchLink batch={batch} cause={group.cause} />} />
        )}
      </Form>
    </Dialog>
  );
}

const redriver =
  (cause: string, rate: string) =>
  async ({ id }: BatchOfCause): Promise<string> => {
    const body = { cause, ...rateOf(rate) };
    const { redriven, revision } = await redriveLetters(id, body, crypto.randomUUID());
    return `${formatNumberOf(redriven, 'item')} run again, in revision ${revision}`;
  };

const discarder =
  (cause: string, reason: string) =>
  async ({ id }: BatchOfCause): Promise<string> =>
    `${formatNumberOf((await discardLetters(id, { cause, reason }, crypto.randomUUID())).discarded, 'item')} discarded`;

interface PlanProps {
  asked: AskedOfBatches;
  batches: readonly BatchOfCause[];
  typed: string;
  onType: (typed: string) => void;
}

function Plan({ asked: { kind, group }, batches, typed, onType }: PlanProps): JSX.Element {
  const open = group.batches.length - batches.length;
  const left = [
    ...(open > 0 ? [`${formatNumberOf(open, 'batch that still runs', 'batches that still run')}`] : []),
    ...(group.moreBatches > 0 ? [formatNumberOf(group.moreBatches, 'older batch', 'older batches')] : []),
  ];
  const largest = Math.max(0, ...batches.map(({ count }) => count));
  return (
    <>
      <p>
        {kind === 'redrive'
          ? 'They run again unchanged, in a new revision of each batch, one batch after the other. To change fields, open a batch.'
          : 'They count as discarded from then on, and cannot be redriven any more; each batch gets a new report.'}
      </p>
      {left.length > 0 && <p class="tone-warn">Not included: {left.join(', and ')}.</p>}
      {kind === 'redrive' ? (
        <RateField rate={typed} count={largest} onChange={onType} />
      ) : (
        <ReasonField value={typed} onChange={onType} />
      )}
      {kind === 'redrive' && batches.length > 1 && typed !== '' && (
        <p class="soft">The rate applies to each batch separately.</p>
      )}
    </>
  );
}
