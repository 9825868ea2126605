import UPlot, { type Options } from 'uplot';
import { resolveColor } from './palette.ts';

export interface Series {
  name: string;
  /** A custom property of the style sheet. */
  color: string;
  values: readonly (number | null)[];
}

/** A time that is marked by a line. */
export interface Mark {
  atSeconds: number;
  text: string;
}

/** Options for a chart that differs from one of counts over the last minutes. */
export interface ChartShape {
  format: (value: number) => string;
  /** Format of the times, in UTC; defaults to clock times. */
  axis?: 'clock' | 'day';
  /** Minimum top of the scale, so that zero is at the bottom. Defaults to 4. */
  leastTop?: number;
  marks?: readonly Mark[];
  /** If present, the values are bars at 0, 1, 2 …, and these are their names. */
  names?: readonly string[];
}

/** Minimum span of a chart, so that the first points do not fill its whole width. */
const MIN_SECONDS = 60;
const MIN_PLACES = 8;
const WIDEST_BAR = 22;

type Drawn = Omit<Options, 'width' | 'height'>;

/** Builds the uPlot options of a chart of this dashboard. */
export function chartOptions(
  series: readonly Series[],
  { format, axis: kind = 'clock', leastTop = 4, marks = [], names }: ChartShape,
  onPoint: (index: number | null) => void,
): Drawn {
  const nameOf = (place: number): string => names?.[place] ?? '';
  const timeOf = names ? nameOf : kind === 'day' ? dayOf : clockOf;
  const text = resolveColor('--text-soft');
  const grid = { stroke: resolveColor('--line'), width: 1 };
  const font = '11px sans-serif';
  const axis = { stroke: text, grid, font, ticks: { show: false } };
  return {
    legend: { show: false },
    // The right padding is half as wide as a time, because a time may be below the last point.
    padding: [8, 24, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    hooks: {
      setCursor: [(plot) => onPoint(plot.cursor.idx ?? null)],
      draw: [(plot) => drawMarks(plot, marks, text)],
    },
    scales: {
      x: { time: !names, range: ({ data: [times] }) => (names ? placesOf(times) : spanOf(times, marks)) },
      y: { range: (_plot, _min, max) => [0, Math.max(leastTop, (max ?? 0) * 1.12)] },
    },
    axes: [
      { ...axis, grid: { show: false }, size: 26, gap: 6, space: 80, values: (_plot, ticks) => ticks.map(timeOf) },
      {
        ...axis,
        size: (_plot, texts) => widthOf(texts),
        space: 24,
        values: (_plot, ticks) => ticks.map((value) => format(value)),
      },
    ],
    series: [
      {},
      ...series.map(({ name, color }, index) =>
        names
          ? barOf(name, color, { index, count: series.length })
          : { ...lineOf(name, color), points: { show: kind === 'day', size: 5 } },
      ),
    ],
  };
}

/** A mark on the last day is later than the beginning of that day. */
function spanOf(times: ArrayLike<number>, marks: readonly Mark[]): [number, number] {
  const last = times[times.length - 1] ?? Date.now() / 1_000;
  const end = Math.max(last, ...marks.map(({ atSeconds }) => atSeconds));
  return [Math.min(times[0] ?? last, last - MIN_SECONDS), end];
}

/** Pixels for the longest text beside the scale. uPlot also calls this before it has texts. */
const widthOf = (texts: readonly string[] | null): number =>
  Math.max(46, 12 + 6.2 * Math.max(0, ...(texts ?? []).map(({ length }) => length)));

/** Half a place on each side, and a minimum number of places, so that a single bar is at the left. */
const placesOf = (places: ArrayLike<number>): [number, number] => [-0.6, Math.max(places.length, MIN_PLACES) - 0.4];

const clockOf = (seconds: number): string => new Date(seconds * 1_000).toISOString().slice(11, 19);
const dayOf = (seconds: number): string => new Date(seconds * 1_000).toISOString().slice(5, 10);

function drawMarks(plot: UPlot, marks: readonly Mark[], color: string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = color;
  ctx.setLineDash([3, 3]);
  for (const { atSeconds } of marks) {
    const x = Math.round(plot.valToPos(atSeconds, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

function lineOf(label: string, color: string) {
  const stroke = resolveColor(color);
  return {
    label,
    stroke,
    width: 2,
    fill: stroke.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.08)'),
    spanGaps: false,
  };
}

/** The bars of two series are placed side by side. */
function barOf(label: string, color: string, { index, count }: { index: number; count: number }) {
  const align = count === 1 ? 0 : index === 0 ? -1 : 1;
  const paths = UPlot.paths.bars?.({ size: [0.8 / count, WIDEST_BAR], align });
  return {
    ...{ label, fill: resolveColor(color), width: 0, points: { show: false } },
    ...(paths === undefined ? {} : { paths }),
  };
}
