/** The parameters of the monthly model. */
import type { BatchShape } from '../../../shared/cost/batch-operations.ts';
import { DEFAULT_DEPLOYMENT, type Deployment } from '../../../shared/cost/deployed.ts';

/** The parameters of the model. Counts per day are means over the month. */
export interface MonthParameters extends Deployment {
  queues: number;
  /** Polling threads per queue. */
  pollers: number;
  /** Hours per day without any work, 0 to 24. */
  idleHours: number;
  /** Batches per day. */
  batches: number;
  /** Items per day, in all batches. */
  items: number;
  /** Items per chunk. */
  chunk: number;
  /** Handler time of a full chunk. */
  secondsPerChunk: number;
}

/** The deployment's defaults, and ten queues with a hundred thousand items per day. */
export const DEFAULT_PARAMETERS: MonthParameters = {
  ...DEFAULT_DEPLOYMENT,
  queues: 10,
  pollers: 1,
  idleHours: 22,
  batches: 10,
  items: 100_000,
  chunk: 5_000,
  secondsPerChunk: 0.1,
};

/**
 * Returns the shape of a batch with this number of items. A chunk that is not full takes a proportional part of the
 * handler time.
 */
export const shapeOf = (
  items: number,
  { chunk, secondsPerChunk }: Pick<MonthParameters, 'chunk' | 'secondsPerChunk'>,
): BatchShape => ({
  items,
  itemsPerChunk: chunk,
  secondsPerChunk: (secondsPerChunk * Math.min(items, chunk)) / chunk,
});
