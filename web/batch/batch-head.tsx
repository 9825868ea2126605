import type { JSX } from 'preact';
import type { BatchView } from '../api/types.ts';
import { Progress } from '../batches/progress.tsx';
import { plain } from '../format.ts';
import { queueHref } from '../routing.ts';
import { Notes } from '../ui/notes.tsx';
import { Labels, PageHead, StateTag } from '../ui/pieces.tsx';
import { BatchActions } from './batch-actions.tsx';
import { CopyButton } from './copy-button.tsx';
import { isFinished, reportFailure } from './finished.ts';
import { deadlineVerdict } from './overview/revision.ts';
import { Pace, Running } from './pace.tsx';
import { FailedReport } from './report/failed-report.tsx';
import { sourceText } from './source-text.ts';

export interface BatchHeadProps {
  batch: BatchView;
  tabTitle: string;
  polled: JSX.Element;
  onChange: () => void;
}

/** The identity and progress of a batch, and its actions. */
export function BatchHead({ batch, tabTitle, polled, onChange }: BatchHeadProps): JSX.Element {
  const { id, workload, state, counts, progress } = batch;
  const failure = reportFailure(batch);
  return (
    <>
      <PageHead
        title={
          <>
            {workload} <StateTag state={state} blocked={batch.blocked} />
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
        <BatchActions batch={batch} onChange={onChange} />
      </PageHead>
      <Facts batch={batch} />
      {batch.notes.length > 0 && <Notes notes={batch.notes} />}
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

/** Links to the logs and the trace of a batch, if the app knows their addresses. They open in a new tab. */
export const TelemetryLinks = ({ links: { logs, trace } }: Pick<BatchView, 'links'>): JSX.Element => (
  <>
    {logs !== undefined && <Outside name="Logs" href={logs} />}
    {trace !== undefined && <Outside name="Trace" href={trace} />}
  </>
);

const Outside = ({ name, href }: { name: string; href: string }): JSX.Element => (
  <span>
    {' · '}
    <a href={href} target="_blank" rel="noopener noreferrer">
      {name}
    </a>
  </span>
);
