import type { Operations } from '../../shared/contract/operations.ts';

/** One run of one contender. */
export interface Measurement {
  items: number;
  /** Wall time from the start of the first item's input to the end of the last item's output. */
  seconds: number;
  /** The part of `seconds` spent on putting items into the queue, if that is a separate phase. */
  enqueueSeconds?: number;
  /** Requests that Azurite served. */
  operations: Operations;
  actions: number;
  /** CPU seconds of the process that does the work. */
  cpuSeconds: number;
  /** CPU seconds of Azurite. */
  storageCpuSeconds?: number;
  /** Peak memory of the process. */
  peakBytes: number;
  /** Until the upload was accepted. */
  acceptedSeconds?: number;
  /** Digest of the report, if all items were processed. */
  report?: string;
}

/** The values that a rate is computed from. */
export type Timed = Pick<Measurement, 'items' | 'seconds'>;

/** Items per second. */
export const rateOf = ({ items, seconds }: Timed): number => items / seconds;

/** Returns the run's rate as a share of the ideal rate, which is in items per second. */
export const shareOf = ({ ideal }: { ideal: number }, run: Timed): number => rateOf(run) / ideal;

/** Returns the measurement with the median rate; for an even number, the slower of the middle two. */
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
