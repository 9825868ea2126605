import type { Operations } from '../../shared/contract/operations.ts';

/** One run of one contender. */
export interface Measurement {
  items: number;
  /** Wall time from the first item's way in to the last item's way out. */
  seconds: number;
  /** Of it, spent on putting items into the queue, where that is a phase of its own. */
  enqueueSeconds?: number;
  /** Requests that Azurite served. */
  operations: Operations;
  actions: number;
  /** Of the process that does the work. */
  cpuSeconds: number;
  /** Of Azurite. */
  storageCpuSeconds?: number;
  /** The most memory that the process has had. */
  peakBytes: number;
  /** Until the upload was accepted. */
  acceptedSeconds?: number;
  /** Digest of the report, where all items went through. */
  report?: string;
}

/** What a rate is made of. */
export type Timed = Pick<Measurement, 'items' | 'seconds'>;

/** Items per second. */
export const rateOf = ({ items, seconds }: Timed): number => items / seconds;

/** The run's rate as a share of the ideal one, which is in items per second. */
export const shareOf = ({ ideal }: { ideal: number }, run: Timed): number => rateOf(run) / ideal;

/** The measurement with the middle rate; of an even number, the slower of the two. */
export function median(runs: readonly Measurement[]): Measurement {
  const byRate = [...runs].sort((a, b) => rateOf(a) - rateOf(b));
  const middle = byRate[Math.floor((byRate.length - 1) / 2)];
  if (!middle) throw new Error('Expected at least one run.');
  return middle;
}

/** The measurement with the best rate. */
export function fastest(runs: readonly Measurement[]): Measurement {
  return runs.reduce((best, run) => (rateOf(run) > rateOf(best) ? run : best));
}
