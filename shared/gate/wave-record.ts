/** The latest waves in a gate, which show an operator why a queue drains the way it does. Pure. */

/** What limited the number of tasks of a wave. */
export const WAVE_BOUNDS = [
  'rule',
  'work',
  'depth',
  'capacity',
  'throttling',
  'limits',
  'saturation',
  'probe',
  'collector',
] as const;
export type WaveBound = (typeof WAVE_BOUNDS)[number];

/** A wave that has ended. */
export interface WaveFigures {
  /** Service time of its end, in milliseconds. */
  atMs: number;
  /** Duration of its longest slice, without waits for work. */
  seconds: number;
  /** Messages in the queue when it was planned. */
  depth: number;
  tasks: number;
  bound: WaveBound;
  /** Whether it was planned for work that would miss its deadline. */
  late: boolean;
  /** References that its tasks have finished, and their items. */
  done: number;
  items: number;
  /** Responses of services that were too busy. */
  throttled: number;
  /** The value that the plan used. */
  secondsPerReference: number;
}

/**
 * A wave as the gate stores it: an array, since each receive reads the gate and each wake writes it as a whole. 30
 * waves need 2 KB; with field names they would need 5 KB. New fields must be added at the end.
 */
export type WaveRecord = readonly [
  atSeconds: number,
  seconds: number,
  depth: number,
  tasks: number,
  bound: WaveBound,
  late: 0 | 1,
  done: number,
  items: number,
  throttled: number,
  secondsPerReference: number,
];

/** Maximum number of waves that a gate keeps. */
export const MAX_WAVES = 30;

/** Appends a wave, and removes the oldest one if there are too many. */
export const addWave = (waves: readonly WaveRecord[], wave: WaveFigures): WaveRecord[] => [
  ...waves.slice(1 - MAX_WAVES),
  [
    Math.round(wave.atMs / 1000),
    rounded(wave.seconds, 1),
    wave.depth,
    wave.tasks,
    wave.bound,
    wave.late ? 1 : 0,
    wave.done,
    wave.items,
    wave.throttled,
    rounded(wave.secondsPerReference, 4),
  ],
];

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

/** Reads a stored wave. */
export function readWave(stored: WaveRecord): WaveFigures {
  const [atSeconds, seconds, depth, tasks, bound, late, done, items, throttled, secondsPerReference] = stored;
  const planned = { depth, tasks, bound, late: late === 1 };
  return { atMs: atSeconds * 1000, seconds, ...planned, done, items, throttled, secondsPerReference };
}
