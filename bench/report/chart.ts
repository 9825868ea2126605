/** The chart of the README: items per second and storage operations per million items, each on a scale of powers of ten. */
import { formatCount } from '../../cli/text/format.ts';
import { type Measurement, rateOf } from '../measures/measurement.ts';
import type { Throughput } from '../measures/throughput.ts';
import { type ContenderName, contendersOf, NAMES } from './names.ts';
import { operationsAMillion, type Results } from './results.ts';

const WIDTH = 760;
const LABEL = 170;
const BAR = 22;
const GAP = 10;
const PANEL_GAP = 58;
const TOP = 30;
const VALUE = 90;
/** The contenders that store their work in Azure Storage. */
const ON_STORAGE: readonly ContenderName[] = ['poller', 'queueTrigger', 'listener', 'sluice'];

interface Bar {
  label: string;
  value: number;
  isOurs: boolean;
}

/** Creates an SVG that is legible on a light and on a dark page. */
export function drawChart({ date, machine }: Results, throughput: Throughput): string {
  const all = contendersOf(throughput);
  const bars = (measure: (one: Measurement) => number, contenders: typeof all): Bar[] =>
    contenders.map(([name, one]) => ({ label: NAMES[name], value: measure(one), isOurs: name === 'sluice' }));
  const byRate = all.toSorted(([, a], [, b]) => rateOf(a) - rateOf(b));
  const speed = bars(rateOf, byRate);
  const operations = bars(
    operationsAMillion,
    all.filter(([name]) => ON_STORAGE.includes(name)),
  );
  const second = TOP + speed.length * (BAR + GAP) + PANEL_GAP;
  const height = second + operations.length * (BAR + GAP) + 24;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" font-family="system-ui, sans-serif" font-size="13">`,
    '<title>Items per second, and storage operations per million items</title>',
    '<style>text{fill:#444}.ours{fill:#0b6bcb}.bar{fill:#9aa5b1}@media(prefers-color-scheme:dark){text{fill:#ddd}.ours{fill:#5aa9ff}.bar{fill:#6b7580}}</style>',
    ...panel('Items per second (each step of the scale is ten times the one before)', speed, TOP),
    ...panel('Storage operations per million items (fewer is better, same kind of scale)', operations, second),
    `<text x="0" y="${height - 4}" font-size="11">${date.slice(0, 10)}, ${machine.cores} cores, one machine, one run, the same upload and the same handler</text>`,
    '</svg>',
    '',
  ].join('\n');
}

function panel(title: string, bars: readonly Bar[], top: number): string[] {
  const most = Math.log10(Math.max(...bars.map(({ value }) => value)) + 1);
  const room = WIDTH - LABEL - VALUE;
  const lines = bars.map(({ label, value, isOurs }, index) => {
    const y = top + index * (BAR + GAP);
    const width = Math.max(2, Math.round((Math.log10(value + 1) / most) * room));
    const text = value < 10 ? value.toFixed(1) : formatCount(value);
    return [
      `<text x="${LABEL - 8}" y="${y + 16}" text-anchor="end"${isOurs ? ' font-weight="bold"' : ''}>${label.replace("'", '’')}</text>`,
      `<rect class="${isOurs ? 'ours' : 'bar'}" x="${LABEL}" y="${y}" width="${width}" height="${BAR}" rx="2"/>`,
      `<text x="${LABEL + width + 8}" y="${y + 16}">${text}</text>`,
    ].join('');
  });
  return [`<text x="0" y="${top - 12}" font-weight="bold">${title}</text>`, ...lines];
}
