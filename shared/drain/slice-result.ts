/** What a slice came to. Data only, since the orchestrator imports it: the loop is in slice.ts. */
import type { Operations } from '../contract/operations.ts';

/** What one round (a receive and what followed it) came to; rounds, slices and waves add up the same way. */
export interface WorkCounts {
  /** Messages received, references brought to an end, and items in them. */
  received: number;
  done: number;
  items: number;
  /** Chunks whose batches pay for a part of the drain: those whose end was published or collected. */
  chunks: number;
  /** Items whose handler ran and was not throttled by the other side, and those of them that failed for retry. */
  ran: number;
  failures: number;
  /** The error of one of them, on one line; empty when none has failed. */
  failure: string;
  /** References that name a batch which is gone. */
  orphanedReferences: number;
  /** Seconds spent in handlers, over all threads. */
  handlerSeconds: number;
  /** Of them: seconds in which nothing could be begun, as the limits of the workload did not allow it. */
  waitedSeconds: number;
  operations: Operations;
  /** When the oldest of their batches was accepted; empty when unknown. Its deadline decides whether the queue is late. */
  oldestAt: string;
  /** Why no worker thread could begin on a chunk that was received; empty when threads start. */
  startError: string;
}

/** The earlier of two times as ISO text, of which either may be empty. */
export const earlier = (a: string, b: string): string => (a === '' || (b !== '' && b < a) ? b : a);

export const emptyCounts = (): WorkCounts => ({
  received: 0,
  done: 0,
  items: 0,
  chunks: 0,
  ran: 0,
  failures: 0,
  failure: '',
  orphanedReferences: 0,
  handlerSeconds: 0,
  waitedSeconds: 0,
  operations: {},
  oldestAt: '',
  startError: '',
});

/** The load of the process that ran a slice, other slices included. */
export interface SliceLoad {
  /** Identifies the process. */
  instance: string;
  /** How long it was measured, in milliseconds. */
  ms: number;
  /** Share of its cores, and utilization of the event loop of its main thread; 0 to 1. */
  cpu: number;
  eventLoop: number;
  /** Number of responses of storage to this slice, and their total time in milliseconds. */
  responses: number;
  responseMs: number;
}

/**
 * How a slice ended, beside its counts. `empty`: the queue gave nothing although the quota was not reached; `fenced`: the
 * gate is another drain's; `paused`: an operator has paused the queue; `notDeployed`: the app has no such workload;
 * `noShare`: this process has no share of the workload's limits; `startFailed`: no worker thread starts in this process;
 * `fault`: a service failed beyond all retries.
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
  /** Of all that it did, what no batch has recorded, with its execution; absent: nothing, or of an older version. */
  shared?: Operations;
  /** Without the waits for work: what was received took this long. */
  seconds: number;
  /** When a slice that ended without a share is worth repeating; service time in milliseconds. */
  retryAt?: number;
  /** Absent when nothing was run, and in results of apps of older versions. */
  load?: SliceLoad;
}

/** A slice that did nothing. */
export const emptySlice = (ended: SliceResult['ended']): SliceResult => ({ ...emptyCounts(), ended, seconds: 0 });
