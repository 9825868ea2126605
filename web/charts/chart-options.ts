import type { Options } from 'uplot';
import { resolveColor } from './palette.ts';

export interface Series {
  name: string;
  /** A custom property of the style sheet. */
  color: string;
  values: readonly (number | null)[];
}

/** Also of a chart that shows nothing, so that zero lies at the bottom and not in the middle. */
const LEAST_TOP = 4;
/** Until there is more, a chart shows this span: a line must not begin as wide as the chart. */
const LEAST_SECONDS = 60;

type Drawn = Omit<Options, 'width' | 'height'>;

/** How the charts of this page look and behave. */
export function chartOptions(
  series: readonly Series[],
  format: (value: number) => string,
  onPoint: (index: number | null) => void,
): Drawn {
  const text = resolveColor('--text-soft');
  const grid = { stroke: resolveColor('--line'), width: 1 };
  const font = '11px sans-serif';
  const axis = { stroke: text, grid, font, ticks: { show: false } };
  return {
    legend: { show: false },
    padding: [8, 8, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    hooks: { setCursor: [(plot) => onPoint(plot.cursor.idx ?? null)] },
    scales: {
      x: { time: true, range: (plot) => spanOf(plot.data[0]) },
      y: { range: (_plot, _min, max) => [0, Math.max(LEAST_TOP, (max ?? 0) * 1.12)] },
    },
    axes: [
      { ...axis, grid: { show: false }, size: 26, gap: 6, space: 80, values: (_plot, ticks) => ticks.map(clockOf) },
      { ...axis, size: 46, space: 24, values: (_plot, ticks) => ticks.map((value) => format(value)) },
    ],
    series: [{}, ...series.map(({ name, color }) => lineOf(name, color))],
  };
}

function spanOf(times: ArrayLike<number>): [number, number] {
  const last = times[times.length - 1] ?? Date.now() / 1_000;
  return [Math.min(times[0] ?? last, last - LEAST_SECONDS), last];
}

const clockOf = (seconds: number): string =>
  new Date(seconds * 1_000).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

function lineOf(label: string, color: string) {
  const stroke = resolveColor(color);
  return {
    label,
    stroke,
    width: 2,
    fill: stroke.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.08)'),
    points: { show: false },
    spanGaps: false,
  };
}
