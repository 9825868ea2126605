import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import UPlot from 'uplot';
import { repaints } from '../theme.ts';
import { type ChartShape, chartOptions, type Series } from './chart-options.ts';

export interface TimeChartProps extends ChartShape {
  title: string;
  /** Seconds since 1970; with `names`: 0, 1, 2 … */
  times: readonly number[];
  series: readonly Series[];
  quiet: string;
}

const HEIGHT = 168;

/** Lines over time, or bars. The legend shows the values under the pointer, or else the latest values. */
export function TimeChart({ title, times, series, quiet, ...shaped }: TimeChartProps): JSX.Element {
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const painted = repaints.value;
  const { format, marks = [], names } = shaped;
  const shape = [
    ...series.map(({ name, color }) => `${name}${color}`),
    ...marks.map(({ atSeconds }) => atSeconds),
    ...(names ?? []),
  ].join();

  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const size = { width: element.clientWidth, height: HEIGHT };
    const made = new UPlot({ ...chartOptions(series, shaped, setPointed), ...size }, toData(times, series), element);
    plot.current = made;
    const watcher = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      made.destroy();
    };
  }, [shape, painted]);

  useEffect(() => plot.current?.setData(toData(times, series)), [times, series]);

  const at = pointed ?? times.length - 1;
  const idle = series.every(({ values }) => values.every((value) => !value));
  return (
    <figure class="chart">
      <figcaption>
        <h2>{title}</h2>
        <ul class="legend">
          {names && <li>{names[at] ?? ''}</li>}
          {series.map(({ name, color, values }) => (
            <li key={name}>
              <i style={{ background: `var(${color})` }} />
              {name} <b>{values[at] === null || values[at] === undefined ? '–' : format(values[at])}</b>
            </li>
          ))}
        </ul>
      </figcaption>
      <div class="chart-area" ref={holder}>
        {idle && <span class="chart-quiet">{quiet}</span>}
      </div>
    </figure>
  );
}

const toData = (times: readonly number[], series: readonly Series[]): UPlot.AlignedData => [
  [...times],
  ...series.map(({ values }) => [...values]),
];
