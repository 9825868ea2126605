import type { JSX } from 'preact';
import { api } from '../api/client.ts';
import type { BatchView } from '../api/types.ts';
import type { UploadProgress } from '../api/upload.ts';
import { canProgress } from '../batch/finished.ts';
import { Progress } from '../batches/progress.tsx';
import { formatBytes, formatCount, formatPercent, plain } from '../format.ts';
import { usePolled } from '../live/use-polled.ts';
import { batchHref } from '../routing.ts';
import { Button } from '../ui/button.tsx';
import { StateTag } from '../ui/pieces.tsx';
import { ErrorBox } from '../ui/states.tsx';
import { FileCheck } from './file-check.tsx';
import { type ChosenFile, cancelFile, removeFile, sendFile } from './uploads.ts';

/** One file: checked, sent, then followed until its batch is finished. */
export function UploadRow({ file: chosen }: { file: ChosenFile }): JSX.Element {
  const { file, workload, lane } = chosen.what;
  return (
    <li>
      <div class="upload-head">
        <strong>
          <bdi>{plain(file.name)}</bdi>
        </strong>
        <small>
          {formatBytes(file.size)} · {workload}
          {lane !== '' && `, lane ${lane}`}
        </small>
      </div>
      <StageOf chosen={chosen} />
    </li>
  );
}

function StageOf({ chosen: { what, stage } }: { chosen: ChosenFile }): JSX.Element {
  const key = what.idempotencyKey;
  switch (stage.step) {
    case 'chosen':
      return <FileCheck what={what} check={stage.check} />;
    case 'sending':
      return <Sending progress={stage.progress} onCancel={() => cancelFile(key)} />;
    case 'accepted':
      return <Watched accepted={stage.batch} onRemove={() => removeFile(key)} />;
    case 'cancelled':
      return (
        <>
          <p class="soft">
            {stage.wasSent
              ? 'Cancelled after the whole file was sent: the service may have accepted it. If you send it again, it becomes the same batch.'
              : 'Cancelled: nothing was accepted.'}
          </p>
          <Again id={key} action="Send again" />
        </>
      );
    case 'failed':
      return (
        <>
          <ErrorBox error={stage.error} />
          <Again id={key} {...(mayHelp(stage.error.status) ? { action: 'Try again' } : {})} />
        </>
      );
    default:
      return stage satisfies never;
  }
}

/**
 * Whether another attempt may succeed: after a server error, or while another upload holds the key, but not for an
 * invalid file.
 */
const mayHelp = (status: number): boolean => status === 0 || status === 409 || status >= 500;

const Again = ({ id, action }: { id: string; action?: string }): JSX.Element => (
  <div class="upload-buttons">
    {action !== undefined && (
      <Button icon="redo" size="small" onClick={() => void sendFile(id)}>
        {action}
      </Button>
    )}
    <RemoveButton onRemove={() => removeFile(id)} />
  </div>
);

const RemoveButton = ({ onRemove }: { onRemove: () => void }): JSX.Element => (
  <Button look="quiet" size="small" icon="close" onClick={onRemove}>
    Remove
  </Button>
);

function Sending({ progress, onCancel }: { progress: UploadProgress; onCancel: () => void }): JSX.Element {
  const fraction = progress.step === 'sending' ? progress.fraction : progress.step === 'storing' ? 1 : 0;
  return (
    <>
      <div class="sending" role="status">
        <progress max={1} value={fraction} aria-label="Share that was sent" />
        <small>{stepText(progress)}</small>
      </div>
      <div class="upload-buttons">
        <Button size="small" icon="close" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </>
  );
}

function stepText(progress: UploadProgress): string {
  switch (progress.step) {
    case 'compressing':
      return 'Compressing';
    case 'sending':
      return `Sending, ${formatPercent(progress.fraction)}`;
    case 'storing':
      return 'Reading and storing';
    default:
      return progress satisfies never;
  }
}

function Watched({ accepted, onRemove }: { accepted: BatchView; onRemove: () => void }): JSX.Element {
  const polled = usePolled<BatchView>({
    key: ['batch', accepted.id],
    load: (signal) => api.json('GET batches/{id}', { path: { id: accepted.id }, signal }),
    isMoving: canProgress,
  });
  const { id, state, counts } = polled.data ?? accepted;
  return (
    <div class="watched">
      <StateTag state={state} />
      <Progress state={state} accepted={counts.accepted} dead={counts.dead} pending={counts.pending} />
      <span class="upload-buttons">
        <a
          class="button plain small"
          href={batchHref(id)}
          aria-label={`Open the batch of ${formatCount(counts.accepted)} items`}
        >
          Open batch
        </a>
        <RemoveButton onRemove={onRemove} />
      </span>
    </div>
  );
}
