import type { JSX } from 'preact';
import { cancelBatch, pauseBatch, resumeBatch } from '../api/batches.ts';
import type { BatchView } from '../api/types.ts';
import { Progress } from '../batches/progress.tsx';
import { formatNumberOf, plain } from '../format.ts';
import { queueHref } from '../routing.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { PauseDialog } from '../ui/pause-dialog.tsx';
import { Labels, PageHead, StateTag } from '../ui/pieces.tsx';
import { useDialog } from '../ui/use-dialog.ts';
import { CopyButton } from './copy-button.tsx';
import { isFinished, reportFailure } from './finished.ts';
import { deadlineVerdict } from './overview/revision.ts';
import { Pace, Running } from './pace.tsx';
import { FailedReport } from './report/failed-report.tsx';
import { sourceText } from './source-text.ts';
import { TelemetryLinks } from './telemetry-links.tsx';
import { WhyWaiting } from './why-waiting.tsx';

export interface BatchHeadProps {
  batch: BatchView;
  tabTitle: string;
  /** How old the data is. */
  polled: JSX.Element;
  onChange: () => void;
}

/** The identity and progress of a batch, and the buttons to pause and cancel it. */
export function BatchHead({ batch, tabTitle, polled, onChange }: BatchHeadProps): JSX.Element {
  const { open, setOpen, close, act } = useDialog<'cancel' | 'pause' | 'resume'>(onChange);
  const { id, workload, state, counts, progress } = batch;
  const failure = reportFailure(batch);
  return (
    <>
      <PageHead
        title={
          <>
            {workload} <StateTag state={state} />
          </>
        }
        tabTitle={tabTitle}
        note={
          <>
            <span class="mono">{id}</span> <CopyButton text={id} />
          </>
        }
      >
        {polled}
        {(state === 'queued' || state === 'running') && (
          <Button icon="pause" onClick={() => setOpen('pause')}>
            Pause
          </Button>
        )}
        {state === 'paused' && (
          <Button icon="play" onClick={() => setOpen('resume')}>
            Resume
          </Button>
        )}
        {!isFinished(batch) && (
          <Button icon="close" disabled={state === 'cancelling'} onClick={() => setOpen('cancel')}>
            Cancel batch
          </Button>
        )}
      </PageHead>
      <Facts batch={batch} />
      <WhyWaiting batch={batch} />
      {failure !== undefined && <FailedReport id={id} problem={failure} onChange={onChange} />}
      {!isFinished(batch) && (
        <div class="panel running">
          <Progress
            {...{ state, accepted: counts.accepted, dead: counts.dead }}
            pending={counts.pending - (progress?.ended ?? 0)}
          />
          <Pace batch={batch} />
          {progress && <Running progress={progress} />}
        </div>
      )}
      {open === 'pause' && (
        <PauseDialog title="Pause this batch?" onPause={(reason) => act(pauseBatch(id, reason))} onClose={close}>
          Running chunks finish, and no more start. Other batches continue. The deadline does not change.
        </PauseDialog>
      )}
      {open === 'resume' && (
        <Confirm title="Resume this batch?" action="Resume" onConfirm={() => act(resumeBatch(id))} onClose={close}>
          <p>
            {formatNumberOf(counts.pending, 'pending item')} will go back to the queue.
            {progress && ' Chunks still running from before the pause may run a second time.'}
          </p>
        </Confirm>
      )}
      {open === 'cancel' && (
        <Confirm
          title="Cancel this batch?"
          action="Cancel batch"
          danger
          onConfirm={() => act(cancelBatch(id))}
          onClose={close}
        >
          <p>
            Results of finished items stay and can be downloaded. Of {formatNumberOf(counts.pending, 'item')} pending
            now, running ones stop within about 15 s, but chunks of less than 10 s may still start for 30 s. Unfinished
            items are cancelled, and cannot be resumed.
          </p>
        </Confirm>
      )}
    </>
  );
}

/** Origin, target and deadline verdict of a batch. For an unfinished batch, its pace shows the deadline instead. */
function Facts({ batch }: { batch: BatchView }): JSX.Element {
  const { workload, version, lane, pool, labels } = batch;
  const verdict = deadlineVerdict(batch, Date.now());
  return (
    <p class="facts">
      <bdi>{plain(sourceText(batch))}</bdi> · lane <a href={queueHref(`${workload}-${lane}-0`)}>{lane}</a> · pool {pool}{' '}
      · version {version}
      <TelemetryLinks links={batch.links} />
      {(isFinished(batch) || batch.revision > 0) && (
        <>
          {' '}
          · <span class={verdict.tone === 'bad' ? 'tone-bad' : ''}>deadline {verdict.text}</span>
        </>
      )}
      {labels && (
        <>
          {' '}
          · <Labels labels={labels} />
        </>
      )}
    </p>
  );
}
