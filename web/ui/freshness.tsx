import type { JSX } from 'preact';
import { useEffect, useReducer } from 'preact/hooks';
import { formatClock, formatDuration } from '../format.ts';
import type { Looked } from '../live/use-look.ts';
import { Button } from './button.tsx';

export interface FreshnessProps {
  looked: Pick<Looked<unknown>, 'at' | 'error' | 'everyMs' | 'look'>;
}

/** Says of when the page is, and how often it looks: the dot moves only while looks succeed. */
export function Freshness({ looked: { at, error, everyMs, look } }: FreshnessProps): JSX.Element {
  useRedrawEverySecond();
  if (at === undefined) return <span class="freshness" />;
  // A look that should have come long ago says nothing of now, whatever the timer of a sleeping machine thinks.
  const isLate = everyMs !== undefined && Date.now() - at > 3 * everyMs + 30_000;
  const isLive = everyMs !== undefined && error === undefined && !isLate;
  return (
    <span class="freshness" role="status">
      <span class={isLive ? 'pulse' : 'pulse off'} />
      <span>As of {formatClock(at)}</span>
      {error !== undefined && <b class="tone-bad">no answer since</b>}
      {error === undefined && everyMs !== undefined && <small>every {formatDuration(everyMs).replace('.0', '')}</small>}
      {everyMs === undefined && (
        <Button icon="play" size="small" onClick={look}>
          Paused: go on
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
