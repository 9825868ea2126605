import type { JSX } from 'preact';
import type { WaveView } from '../api/types.ts';
import { SERIES } from '../charts/palette.ts';
import { TimeChart } from '../charts/time-chart.tsx';
import { formatClock, formatCompact, formatCount } from '../format.ts';

/** The options of a chart of waves. */
export const waveAxis = (waves: readonly WaveView[]): { times: number[]; names: string[] } => ({
  times: waves.map((_, place) => place),
  names: waves.map(({ at }) => formatClock(at)),
});

/** The latest waves of a queue, one bar per wave: two waves may be hours apart. */
export function WaveCharts({ waves }: { waves: readonly WaveView[] }): JSX.Element {
  const axis = waveAxis(waves);
  const quiet = 'No wave has been recorded yet';
  return (
    <div class="charts">
      <TimeChart
        title="Messages at the start of each wave"
        {...axis}
        series={[{ name: 'messages', color: SERIES[0], values: waves.map(({ depth }) => depth) }]}
        format={formatCompact}
        quiet={quiet}
      />
      <TimeChart
        title="Items per second of each wave"
        {...axis}
        series={[
          {
            ...{ name: 'items/s', color: SERIES[1] },
            values: waves.map(({ items, seconds }) => (seconds === 0 ? 0 : items / seconds)),
          },
        ]}
        format={formatCount}
        quiet={quiet}
      />
    </div>
  );
}
