import type { JSX } from 'preact';
import { useEffect, useReducer } from 'preact/hooks';
import { formatClock, formatDuration } from '../format.ts';
import type { Polled } from '../live/use-polled.ts';
import { Button } from './button.tsx';

export interface FreshnessProps {
  polled: Pick<Polled<unknown>, 'at' | 'error' | 'everyMs' | 'refreshIfIdle'>;
}

/** Shows the age of the data and the polling interval. The dot is animated only while refreshes succeed. */
export function Freshness({ polled: { at, error, everyMs, refreshIfIdle } }: FreshnessProps): JSX.Element {
  useRedrawEverySecond();
  if (at === undefined) return <span class="freshness" />;
  // If a refresh is long overdue, the data is not current, for example after the machine was asleep.
  const isLate = everyMs !== undefined && Date.now() - at > 3 * everyMs + 30_000;
  const isLive = everyMs !== undefined && error === undefined && !isLate;
  return (
    <span class="freshness" role="status">
      <span class={isLive ? 'pulse' : 'pulse off'} />
      <span>As of {formatClock(at)}</span>
      {error !== undefined && <b class="tone-bad">no answer since</b>}
      {error === undefined && everyMs !== undefined && <small>every {formatDuration(everyMs).replace('.0', '')}</small>}
      {everyMs === undefined && (
        <Button icon="play" size="small" onClick={refreshIfIdle}>
          Paused: continue
        </Button>
      )}
    </span>
  );
}

function useRedrawEverySecond(): void {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => redraw(undefined), 1_000);
    return () => clearInterval(timer);
  }, []);
}
