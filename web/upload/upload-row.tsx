import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { fetchBatch } from '../api/batches.ts';
import type { BatchView } from '../api/types.ts';
import { type Upload, type UploadProgress, upload } from '../api/upload.ts';
import { isFinished } from '../batch/finished.ts';
import { Progress } from '../batches/progress.tsx';
import { formatBytes, formatCount, formatPercent } from '../format.ts';
import { useAction } from '../live/use-action.ts';
import { usePoll } from '../live/use-poll.ts';
import { batchHref } from '../routing.ts';
import { Button } from '../ui/button.tsx';
import { StateTag } from '../ui/pieces.tsx';
import { ErrorBox } from '../ui/states.tsx';
import { FileCheck } from './file-check.tsx';

/** A file that somebody chose, with where it goes. Its key makes another try of the same upload harmless. */
export interface ChosenFile extends Upload {
  /** It is to be sent, or was. */
  isSent: boolean;
}

export interface UploadRowProps {
  chosen: ChosenFile;
  onChange: (chosen: ChosenFile) => void;
  onDrop: () => void;
}

/** One file on its way: checked, sent, then watched until its batch is finished. */
export function UploadRow({ chosen, onChange, onDrop }: UploadRowProps): JSX.Element {
  const [progress, setProgress] = useState<UploadProgress>({ step: 'sending', fraction: 0 });
  const [accepted, setAccepted] = useState<BatchView>();
  const sending = useAction();
  const start = (): Promise<boolean> => sending.run(async () => setAccepted(await upload(chosen, setProgress)));
  const { file, workload, lane, isSent } = chosen;
  useEffect(() => {
    if (isSent) void start();
  }, [isSent]);
  return (
    <li>
      <div class="upload-head">
        <strong>{file.name}</strong>
        <small>
          {formatBytes(file.size)} · {workload}
          {lane !== '' && `, lane ${lane}`}
        </small>
      </div>
      {!isSent && (
        <FileCheck
          chosen={chosen}
          onChange={(part) => onChange({ ...chosen, ...part })}
          onSend={() => onChange({ ...chosen, isSent: true })}
          onDrop={onDrop}
        />
      )}
      {accepted ? <Watched accepted={accepted} /> : isSent && !sending.error && <Sending progress={progress} />}
      {sending.error && (
        <>
          <ErrorBox error={sending.error} />
          {mayHelp(sending.error.status) && (
            <Button icon="redo" size="small" onClick={() => void start()}>
              Try again
            </Button>
          )}
        </>
      )}
    </li>
  );
}

/** The same file is refused again for what is wrong in it; not for a server in trouble, or an upload that holds its key. */
const mayHelp = (status: number): boolean => status === 0 || status === 409 || status >= 500;

function Sending({ progress }: { progress: UploadProgress }): JSX.Element {
  const fraction = progress.step === 'sending' ? progress.fraction : progress.step === 'storing' ? 1 : 0;
  return (
    <div class="sending" role="status">
      <progress max={1} value={fraction} />
      <small>{stepText(progress)}</small>
    </div>
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

const EVERY_MS = 2_000;

function Watched({ accepted }: { accepted: BatchView }): JSX.Element {
  const polled = usePoll<BatchView>({
    subject: accepted.id,
    load: (signal) => fetchBatch(accepted.id, { signal }),
    everyMs: (batch) => (batch && isFinished(batch) ? undefined : EVERY_MS),
  });
  const { id, state, counts } = polled.data ?? accepted;
  return (
    <div class="watched">
      <StateTag state={state} />
      <Progress state={state} accepted={counts.accepted} dead={counts.dead} pending={counts.pending} />
      <a
        class="button plain small"
        href={batchHref(id)}
        aria-label={`Open the batch of ${formatCount(counts.accepted)} items`}
      >
        Open batch
      </a>
    </div>
  );
}
