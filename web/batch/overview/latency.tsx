import type { JSX } from 'preact';
import type { BatchView } from '../../api/types.ts';
import { BarList } from '../../charts/bar-list.tsx';
import { formatDuration, formatPercent } from '../../format.ts';

const NAMES = { p50: 'Half of the items', p95: '95 in 100', max: 'The last one' } as const;

/** The time from acceptance to the end of an item, compared with the deadline. Redriven items have separate times. */
export function Latency({ batch: { latencyMs, times, deadline } }: { batch: BatchView }): JSX.Element {
  const allowed = Date.parse(deadline.at) - Date.parse(times.accepted);
  if (latencyMs === null)
    return <p class="soft">Known when the batch is complete. Allowed: {formatDuration(allowed)}.</p>;
  const bars = (['p50', 'p95', 'max'] as const).map((name) => ({
    name: NAMES[name],
    value: latencyMs[name],
    text: formatDuration(latencyMs[name]),
    tone: latencyMs[name] > allowed ? 'bad' : 'accent',
  }));
  return (
    <>
      <BarList bars={[...bars, { name: 'Allowed', value: allowed, text: formatDuration(allowed), tone: 'off' }]} />
      <p class="soft">The last item took {formatPercent(latencyMs.max / allowed)} of the time allowed.</p>
    </>
  );
}
