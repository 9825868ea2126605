import UPlot, { type Options } from 'uplot';
import { resolveColor } from './palette.ts';

export interface Series {
  name: string;
  /** A custom property of the style sheet. */
  color: string;
  values: readonly (number | null)[];
}

/** A moment that is marked by a line. */
export interface Mark {
  atSeconds: number;
  text: string;
}

/** How a chart differs from one of counts over the last minutes. */
export interface ChartShape {
  format: (value: number) => string;
  /** How times are shown, in UTC; default clock. */
  axis?: 'clock' | 'day';
  /** The top of the scale is never lower, so that zero lies at the bottom; default 4. */
  leastTop?: number;
  marks?: readonly Mark[];
  /** The values are bars that stand at 0, 1, 2 …; these are the names of their places. */
  names?: readonly string[];
}

/** Until there is more, a chart shows this span: a line must not begin as wide as the chart. */
const LEAST_SECONDS = 60;
const LEAST_PLACES = 8;
/** Widest bar, in pixels. */
const WIDEST_BAR = 22;

type Drawn = Omit<Options, 'width' | 'height'>;

/** How the charts of this page look and behave. */
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
    // On the right as wide as half a time, which may stand below the last point.
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

/** A mark of the last day lies after the time at which that day begins. */
function spanOf(times: ArrayLike<number>, marks: readonly Mark[]): [number, number] {
  const last = times[times.length - 1] ?? Date.now() / 1_000;
  const end = Math.max(last, ...marks.map(({ atSeconds }) => atSeconds));
  return [Math.min(times[0] ?? last, last - LEAST_SECONDS), end];
}

/** Pixels that the longest text beside the scale needs; uPlot asks before it has any, too. */
const widthOf = (texts: readonly string[] | null): number =>
  Math.max(46, 12 + 6.2 * Math.max(0, ...(texts ?? []).map(({ length }) => length)));

/** Half a place on each side, and room for a few: a single bar stands on the left. */
const placesOf = (places: ArrayLike<number>): [number, number] => [-0.6, Math.max(places.length, LEAST_PLACES) - 0.4];

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

/** The bars of two series stand beside each other. */
function barOf(label: string, color: string, { index, count }: { index: number; count: number }) {
  const align = count === 1 ? 0 : index === 0 ? -1 : 1;
  const paths = UPlot.paths.bars?.({ size: [0.8 / count, WIDEST_BAR], align });
  return {
    ...{ label, fill: resolveColor(color), width: 0, points: { show: false } },
    ...(paths === undefined ? {} : { paths }),
  };
}
