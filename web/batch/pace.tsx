import type { JSX } from 'preact';
import type { BatchView } from '../api/types.ts';
import { formatClock, formatCount, formatDuration, formatNumberOf, formatRate, plain } from '../format.ts';
import { hasBegun } from './overview/revision.ts';

/** Progress of the running chunks, which the counts do not contain yet. */
export function Running({ progress }: { progress: NonNullable<BatchView['progress']> }): JSX.Element {
  const { chunks, items, ended, inFlight, failing, latestError, at } = progress;
  return (
    <p class="soft running-chunks">
      {formatNumberOf(chunks, 'running chunk')} at {formatClock(at)}: {formatCount(ended)} of {formatCount(items)} items
      done, {formatCount(inFlight)} in flight
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

/** The speed of a batch, its expected end, and its deadline. */
export function Pace({ batch }: { batch: BatchView }): JSX.Element {
  const { ratePerSecond, estimate, times, revision } = batch;
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
      </span>
    </p>
  );
}

/** A rate is known after the first chunk; running items count as started before that. */
function beginText(batch: BatchView): string {
  if (batch.blocked) return 'Blocked';
  if (!hasBegun(batch)) return 'Not started yet';
  const started = batch.revisions.at(-1)?.started;
  return started ? `Started at ${formatClock(started)}` : 'Started, no chunk has finished yet';
}
