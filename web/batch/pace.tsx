import type { JSX } from 'preact';
import type { BatchView } from '../api/types.ts';
import { formatClock, formatCount, formatDuration, formatNumberOf, formatRate, plain } from '../format.ts';
import { hasBegun } from './overview/revision.ts';

/** What the chunks have done that run now, of which the counts know nothing yet. */
export function Running({ progress }: { progress: NonNullable<BatchView['progress']> }): JSX.Element {
  const { chunks, items, ended, inFlight, failing, latestError, at } = progress;
  return (
    <p class="soft running-chunks">
      {formatNumberOf(chunks, 'running chunk')} at {formatClock(at)}: {formatCount(ended)} of {formatCount(items)} items
      have ended, {formatCount(inFlight)} in flight
      {failing > 0 && <span class="tone-warn">, {formatCount(failing)} failing</span>}
      {latestError !== undefined && (
        <>
          {' '}
          (latest: <span class="mono">{plain(latestError)}</span>)
        </>
      )}
    </p>
  );
}

/** How fast a batch is, when it will be done, and how far its deadline is. */
export function Pace({ batch }: { batch: BatchView }): JSX.Element {
  const { ratePerSecond, estimate, times, revision, deadline } = batch;
  const now = Date.now();
  const name = revision === 0 ? 'Deadline' : 'Deadline of the redrive';
  const left = Date.parse(times.deadline) - now;
  return (
    <p class="pace" title={estimate?.basis}>
      {ratePerSecond === null || ratePerSecond === 0 ? (
        beginText(batch)
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
        {left < 0 ? `${name} missed by ${formatDuration(-left)}` : `${name} in ${formatDuration(left)}`}
        {left > 0 && deadline.atRiskAt !== undefined && (
          <b class="tone-warn">, at risk since {formatClock(deadline.atRiskAt)}</b>
        )}
      </span>
    </p>
  );
}

/** A rate is known after the first chunk; items that run count as begun before that. */
function beginText(batch: BatchView): string {
  if (!hasBegun(batch)) return 'Not begun yet';
  const started = batch.revisions.at(-1)?.started;
  return started ? `Begun at ${formatClock(started)}` : 'Begun, no chunk has finished yet';
}
