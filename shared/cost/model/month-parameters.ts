/** What the monthly model is asked about. */
import type { Operations } from '../../contract/operations.ts';
import type { DurableBackend } from '../counts.ts';

/** What the model needs to know. Counts a day are means over the month. */
export interface MonthParameters {
  queues: number;
  /** Polling threads a queue. */
  pollers: number;
  /** Hours a day without any work, 0 to 24. */
  idleHours: number;
  /** Batches a day. */
  batches: number;
  /** Items a day, over all batches. */
  items: number;
  /** Items a chunk. */
  chunk: number;
  backend: DurableBackend;
  /** Control queues of the task hub; host.json sets 1. */
  partitionCount: number;
  sweepMinutes: number;
  /** 0: the inbox is not watched. */
  inboxMinutes: number;
}

/** The defaults of host.json and the settings, for ten queues with a hundred thousand items a day. */
export const DEFAULT_PARAMETERS: MonthParameters = {
  queues: 10,
  pollers: 1,
  idleHours: 22,
  batches: 10,
  items: 100_000,
  chunk: 5_000,
  backend: 'azureStorage',
  partitionCount: 1,
  sweepMinutes: 15,
  inboxMinutes: 0,
};

/** The months of the sources: 79,200 polls a day = 2,376,000 a month. */
export const DAYS_A_MONTH = 30;
export const SECONDS_AN_HOUR = 60 * 60;

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
