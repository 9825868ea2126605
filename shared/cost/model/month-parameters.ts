/** The parameters of the monthly model. */
import type { Operations } from '../../contract/operations.ts';
import type { BatchShape } from '../batch-operations.ts';
import { DEFAULT_DEPLOYMENT, type Deployment } from './deployed.ts';

/** What the model needs to know. Counts per day are means over the month. */
export interface MonthParameters extends Deployment {
  queues: number;
  /** Polling threads per queue. */
  pollers: number;
  /** Hours per day without any work, 0 to 24. */
  idleHours: number;
  /** Batches per day. */
  batches: number;
  /** Items per day, over all batches. */
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

/** The months of the sources: 79,200 polls a day = 2,376,000 a month. */
export const DAYS_A_MONTH = 30;
export const SECONDS_AN_HOUR = 60 * 60;

/** A batch of that many items; a chunk that is not full takes its part of the handler time. */
export const shapeOf = (
  items: number,
  { chunk, secondsPerChunk }: Pick<MonthParameters, 'chunk' | 'secondsPerChunk'>,
): BatchShape => ({
  items,
  itemsPerChunk: chunk,
  secondsPerChunk: (secondsPerChunk * Math.min(items, chunk)) / chunk,
});

/**
 * The documented pulse of Durable Functions' own queues (learn: durable-functions-azure-storage-provider); for queues
 * with a queue trigger no interval is documented, and the model takes the same.
 */
const SCALE_CONTROLLER_SECONDS = 10;

/**
 * What the scale controller reads of that many queues in a month, with instances or without: a peek and a read of the
 * properties at each pulse (Azure/durabletask DisconnectedPerformanceMonitor.cs).
 */
export function scaleControllerReads(queues: number): Operations {
  const pulses = (queues * DAYS_A_MONTH * 24 * SECONDS_AN_HOUR) / SCALE_CONTROLLER_SECONDS;
  return { 'queue.peek': pulses, 'queue.properties': pulses };
}
