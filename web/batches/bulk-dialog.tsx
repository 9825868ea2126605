import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { BatchEntry } from '../api/types.ts';
import { formatNumberOf, shortId } from '../format.ts';
import { areOver, runOver, type Step } from '../steps/run-over.ts';
import { StepsList } from '../steps/steps-list.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { type BulkKind, bulkAct, bulkPlan } from './bulk-plan.ts';

/** Concurrent requests; each may delete thousands of blobs. */
const AT_ONCE = 4;

export interface BulkDialogProps {
  kind: BulkKind;
  batches: readonly BatchEntry[];
  onKeep: () => void;
  onDone: () => void;
}

/** Shows in numbers what will happen, does it, and shows each result. */
export function BulkDialog({ kind, batches, onKeep, onDone }: BulkDialogProps): JSX.Element {
  const [steps, setSteps] = useState<readonly Step[]>();
  const plan = bulkPlan(kind, batches);
  const total = plan.batches.length;
  const name = kind === 'cancel' ? 'Cancel' : 'Delete';
  const run = (): Promise<void> =>
    runOver({ subjects: plan.batches, work: ({ id }) => bulkAct(kind, id), atOnce: AT_ONCE, onSteps: setSteps });
  const done = steps !== undefined && areOver(steps);
  const close = steps === undefined ? onKeep : done ? onDone : () => {};
  return (
    <Dialog title={`${name} ${formatNumberOf(total, 'batch', 'batches')}?`} onClose={close}>
      <div class="dialog-body">
        {steps === undefined ? (
          <ul class="plain-list">
            {[...(total === 0 ? [] : plan.does), ...plan.stays].map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        ) : (
          <StepsList
            batches={plan.batches}
            steps={steps}
            nameOf={({ id }) => <span class="mono">{shortId(id)}</span>}
          />
        )}
        <footer>
          {steps === undefined ? (
            <>
              <Button onClick={onKeep}>Keep as they are</Button>
              <Button look="danger" disabled={total === 0} onClick={() => void run()}>
                {`${name} ${formatNumberOf(total, 'batch', 'batches')}`}
              </Button>
            </>
          ) : (
            <Button look="primary" busy={!done} onClick={onDone}>
              Close
            </Button>
          )}
        </footer>
      </div>
    </Dialog>
  );
}
