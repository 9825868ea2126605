import type { JSX } from 'preact';
import { cancelBatch, pauseBatch, resumeBatch } from '../api/batches.ts';
import type { BatchView } from '../api/types.ts';
import { Progress } from '../batches/progress.tsx';
import { formatClock, formatCount, formatDuration, formatNumberOf, formatRate } from '../format.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { PauseDialog } from '../ui/pause-dialog.tsx';
import { Labels, PageHead, StateTag } from '../ui/pieces.tsx';
import { useDialog } from '../ui/use-dialog.ts';
import { CopyButton } from './copy-button.tsx';
import { isFinished } from './finished.ts';

export interface BatchHeadProps {
  batch: BatchView;
  onChange: () => void;
}

/** Which batch it is, how far it is, and the ways to pause and to stop it. */
export function BatchHead({ batch, onChange }: BatchHeadProps): JSX.Element {
  const { open, setOpen, close, act } = useDialog<'cancel' | 'pause' | 'resume'>(onChange);
  const { id, workload, version, lane, pool, state, source, counts, progress } = batch;
  return (
    <>
      <PageHead
        title={
          <>
            {workload} <StateTag state={state} />
          </>
        }
        note={
          <>
            <span class="mono">{id}</span> <CopyButton text={id} />
          </>
        }
      >
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
      <p class="facts">
        Lane {lane} · pool {pool} · version {version} ·{' '}
        {source.kind === 'inbox'
          ? `file ${source.name}`
          : source.file === undefined
            ? 'over HTTP'
            : `file ${source.file}`}
        {batch.labels && (
          <>
            {' '}
            · <Labels labels={batch.labels} />
          </>
        )}
      </p>
      {!isFinished(batch) && (
        <div class="panel running">
          <Progress
            {...{ state, accepted: counts.accepted, dead: counts.dead }}
            pending={counts.pending - (progress?.ended ?? 0)}
          />
          <Pace batch={batch} />
          {progress && <Running progress={progress} />}
          {batch.paused && (
            <p class="tone-warn blocked">
              Paused since {formatClock(batch.paused.since)} by{' '}
              {batch.paused.by === 'halt' ? 'the halt rule of its workload' : 'an operator'}: {batch.paused.reason}
            </p>
          )}
          {batch.blocked && (
            <p class="tone-warn blocked">
              Waits since {formatClock(batch.blocked.since)}: queue <span class="mono">{batch.blocked.queue}</span>:{' '}
              {batch.blocked.reason}
            </p>
          )}
        </div>
      )}
      {open === 'pause' && (
        <PauseDialog title="Pause this batch?" onPause={(reason) => act(pauseBatch(id, reason))} onClose={close}>
          Chunks that run come to their end, and no more begin; other batches go on. The deadline does not wait.
        </PauseDialog>
      )}
      {open === 'resume' && (
        <Confirm title="Resume this batch?" action="Resume" onConfirm={() => act(resumeBatch(id))} onClose={close}>
          <p>
            The {formatCount(counts.pending)} items that are pending go back to the queue.
            {progress && ' Chunks that still run from before the pause may run a second time.'}
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
            What has finished stays and can be downloaded. Of the {formatCount(counts.pending)} items that are pending
            now, those that run are stopped within about 15 s, but chunks of less than 10 s may still begin for 30 s.
            All that have not finished are cancelled, and cannot be resumed.
          </p>
        </Confirm>
      )}
    </>
  );
}

/** What the chunks have done that run now, of which the counts know nothing yet. */
function Running({ progress }: { progress: NonNullable<BatchView['progress']> }): JSX.Element {
  const { chunks, items, ended, inFlight, failing, latestError, at } = progress;
  return (
    <p class="soft running-chunks">
      {formatNumberOf(chunks, 'running chunk')} at {formatClock(at)}: {formatCount(ended)} of {formatCount(items)} items
      have ended, {formatCount(inFlight)} in flight
      {failing > 0 && <span class="tone-warn">, {formatCount(failing)} failing</span>}
      {latestError !== undefined && (
        <>
          {' '}
          (latest: <span class="mono">{latestError}</span>)
        </>
      )}
    </p>
  );
}

function Pace({ batch: { ratePerSecond, estimate, times, revision } }: { batch: BatchView }): JSX.Element {
  const now = Date.now();
  const deadline = revision === 0 ? 'Deadline' : 'Deadline of the redrive';
  const left = Date.parse(times.deadline) - now;
  return (
    <p class="pace" title={estimate?.basis}>
      {ratePerSecond === null || ratePerSecond === 0 ? (
        'Not begun yet'
      ) : (
        <>
          <b>{formatRate(ratePerSecond)}</b> items per second
        </>
      )}
      {estimate && (
        <>
          , done in about <b>{formatDuration(Math.max(0, Date.parse(estimate.completesAt) - now))}</b>
        </>
      )}
      <span class={left < 0 ? 'tone-bad' : 'soft'}>
        {left < 0 ? `${deadline} missed by ${formatDuration(-left)}` : `${deadline} in ${formatDuration(left)}`}
      </span>
    </p>
  );
}
