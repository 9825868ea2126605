/** The result of a slice, and how many of them a history may contain. Data only, since the orchestrator imports it; the loop is in slice.ts. */
import type { Operations } from '../../contract/operations.ts';

/**
 * Maximum number of tasks per wave, and of one execution of a drain. Each replay reads the whole history: two rows per
 * task, and two per batch of messages that begins a replay. Even if each result arrives alone, the rows of this many
 * tasks fit into one page of a table query, which has 1,000 (sources: Microsoft Learn, query-timeout-and-pagination;
 * AzureTableTrackingStore.cs of Azure/durabletask).
 */
export const MAX_WAVE_TASKS = 250;

/** The counts of one round (a receive and its processing); rounds, slices and waves are added in the same way. */
export interface WorkCounts {
  /** Messages received, references finished, and items in them. */
  received: number;
  done: number;
  items: number;
  /** Items whose handler ran and was not throttled by a service, and how many of them failed for retry. */
  ran: number;
  failures: number;
  /** The error of one of the failed items, on one line; empty if none has failed. */
  failure: string;
  orphanedReferences: number;
  /** Seconds that threads spent on chunks, over all threads; see `handlerSeconds` of an outcome. */
  handlerSeconds: number;
  /** Seconds of these in which nothing could start because of the limits of the workload. */
  waitedSeconds: number;
  /** When the oldest of their batches was accepted; empty if unknown. Its deadline decides whether the queue is late. */
  oldestAt: string;
  /** Why no worker thread could start a received chunk; empty if threads start. */
  startError: string;
}

/** Returns the earlier of two times as ISO text; each may be empty. */
export const earlier = (a: string, b: string): string => (a === '' || (b !== '' && b < a) ? b : a);

export const emptyCounts = (): WorkCounts => ({
  received: 0,
  done: 0,
  items: 0,
  ran: 0,
  failures: 0,
  failure: '',
  orphanedReferences: 0,
  handlerSeconds: 0,
  waitedSeconds: 0,
  oldestAt: '',
  startError: '',
});

/** The load of the process that ran a slice, including its other slices. */
export interface SliceLoad {
  instance: string;
  ms: number;
  /** Fraction of its cores, and event loop utilization of its main thread; 0 to 1. */
  cpu: number;
  eventLoop: number;
  /** Number of storage responses for this slice, and their total time in milliseconds. */
  responses: number;
  responseMs: number;
  /** Responses of a service that was too busy. */
  throttled: number;
}

/**
 * The result of a slice. `ended`: `empty` (the queue returned nothing before the quota was reached), `fenced` (another
 * drain holds the gate), `paused` (an operator has paused the queue), `notDeployed` (the app has no such workload),
 * `noShare` (this process has no share of the workload's limits), `startFailed` (no worker thread starts in this
 * process), `fault` (a service failed after all retries).
 */
export interface SliceResult extends WorkCounts {
  ended:
    | 'quotaReached'
    | 'timeUp'
    | 'empty'
    | 'tripped'
    | 'startFailed'
    | 'noShare'
    | 'fenced'
    | 'paused'
    | 'notDeployed'
    | 'fault';
  /** What its activity has spent and stored for no batch, for the log. */
  operations?: Operations;
  /** Duration without the waits for work. */
  seconds: number;
  /** When a slice that ended without a share should be repeated; service time in milliseconds. */
  retryAt?: number;
  /** Absent if nothing was run. */
  load?: SliceLoad;
}

/** Creates the result of a slice that did nothing. */
export const emptySlice = (ended: SliceResult['ended']): SliceResult => ({ ...emptyCounts(), ended, seconds: 0 });
