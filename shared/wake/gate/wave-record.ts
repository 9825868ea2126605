/** What a gate keeps of its latest waves, so that an operator sees why a queue drains as it does. Pure. */

/** What has bounded the tasks of a wave. */
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
export interface EndedWaveRecord {
  /** Service time of its end, in milliseconds. */
  atMs: number;
  /** Of its longest slice, without waits for work. */
  seconds: number;
  /** Messages when it was planned. */
  depth: number;
  tasks: number;
  bound: WaveBound;
  /** Planned for work that would miss its deadline. */
  late: boolean;
  /** References that its tasks have ended, and their items. */
  done: number;
  items: number;
  /** Answers of a service that was too busy. */
  throttled: number;
  /** As the plan took it. */
  secondsPerReference: number;
}

/**
 * A wave as the gate stores it: an array, since each receive reads the gate, and each wake writes all of it. 30 of them take
 * 2 KB; with the names of their fields they would take 5 KB. New fields go to the end.
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

/** Waves that a gate keeps. */
export const MAX_WAVES = 30;

/** Adds a wave to those before it; the oldest one leaves when there are too many. */
export const addWave = (waves: readonly WaveRecord[], wave: EndedWaveRecord): WaveRecord[] => [
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
export function readWave(stored: WaveRecord): EndedWaveRecord {
  const [atSeconds, seconds, depth, tasks, bound, late, done, items, throttled, secondsPerReference] = stored;
  const planned = { depth, tasks, bound, late: late === 1 };
  return { atMs: atSeconds * 1000, seconds, ...planned, done, items, throttled, secondsPerReference };
}
