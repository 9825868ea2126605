/** The latest waves in a gate, which show an operator why a queue drains the way it does. Pure. */

/** What limited the number of tasks of a wave. */
export const WAVE_BOUNDS = [
  'rule',
  'work',
  'depth',
  'capacity',
  'pool',
  'throttling',
  'limits',
  'saturation',
  'probe',
  'collector',
] as const;
export type WaveBound = (typeof WAVE_BOUNDS)[number];

export interface WaveFigures {
  /** Service time of its end, in milliseconds. */
  atMs: number;
  /** Duration of its longest slice, without waits for work. */
  seconds: number;
  depth: number;
  tasks: number;
  bound: WaveBound;
  /** Whether it was planned for work that would miss its deadline. */
  late: boolean;
  /** References that its tasks have finished, and their items. */
  done: number;
  items: number;
  throttled: number;
  secondsPerReference: number;
}

/**
 * The fields of a wave in the order in which a gate stores them. It stores no names, since each receive reads the gate and
 * each wake writes it as a whole: 30 waves need 2 KB, and with names they would need 5 KB.
 */
const FIELDS = [
  ...(['atMs', 'seconds', 'depth', 'tasks', 'bound', 'late'] as const),
  ...(['done', 'items', 'throttled', 'secondsPerReference'] as const),
] satisfies readonly (keyof WaveFigures)[];

export type WaveRecord = readonly WaveFigures[keyof WaveFigures][];

export const MAX_WAVES = 30;

/** Appends a wave, and removes the oldest one if there are too many. */
export function addWave(waves: readonly WaveRecord[], wave: WaveFigures): WaveRecord[] {
  const atMs = Math.round(wave.atMs / 1000) * 1000;
  const seconds = rounded(wave.seconds, 1);
  const stored = { ...wave, atMs, seconds, secondsPerReference: rounded(wave.secondsPerReference, 4) };
  return [...waves.slice(1 - MAX_WAVES), FIELDS.map((field) => stored[field])];
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

/** Reads a stored wave. */
export const readWave = (stored: WaveRecord): WaveFigures =>
  Object.fromEntries(FIELDS.map((field, index) => [field, stored[index]])) as unknown as WaveFigures;
