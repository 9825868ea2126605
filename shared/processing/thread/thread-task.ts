/** What crosses the thread border: a compressed frame and plain facts in, outcome bytes and counts out. Never an item. */
import type { Operations } from '../../contract/operations.ts';
import type { OutcomeHeader } from '../../contract/outcome.ts';
import type { Reference } from '../../contract/reference.ts';
import type { Settings } from '../../settings.ts';
import type { ErrorText } from '../outcome/error-text.ts';
import type { StatusBuffer } from './thread-status.ts';

/** How one line's item ended, at service time `atMs`, in a thread that is gone: it is charged, and not run again. */
export type KnownFailure = { line: number; atMs: number } & (
  | { kind: 'timedOut' }
  | { kind: 'killed'; error: ErrorText }
);

/** A chunk to be processed. `frame` is the zstd frame as stored; `nowMs` is the service time. */
export interface ChunkJob {
  reference: Reference;
  frame: Uint8Array;
  nowMs: number;
  /** When the batch is due, as ISO text. */
  deadlineAt?: string;
  /** Ends the run before its time; the reason is a `StopReason`. */
  stop?: AbortSignal;
}

/**
 * Why a running chunk is stopped. Items that have finished keep their results; the others count as cancelled, or go to the
 * retries frame, uncharged, to be run by another process.
 */
export type StopReason = 'cancelled' | 'returned';

/** One run of a chunk in a thread. */
export interface ThreadTask {
  reference: Reference;
  /** On shared memory, so that the chunk can be run again when the thread is gone. */
  frame: Uint8Array;
  statusBuffer: StatusBuffer;
  /** Service time at which the run starts; the thread counts on from it. */
  nowMs: number;
  knownFailures: KnownFailure[];
  /** Call `mapChunk` with one item at a time: a whole chunk has ended a thread, and its killer is looked for. */
  single: boolean;
  /** No item is begun after this long; the rest is passed on to the retries chunk, uncharged. */
  budgetMs: number;
}

/** What became of a chunk. */
export interface ChunkOutcome {
  header: OutcomeHeader;
  body: Uint8Array;
  /** Items that failed for retry as the handler threw or timed out, the last attempt included. */
  failures: number;
  /** Items whose handler ran. */
  ran: number;
  /** Dead letters by cause: reason, error name and message with numbers and quoted text masked. */
  causes: Record<string, number>;
  /** Storage operations that the handlers did; absent: none. */
  operations?: Operations;
}

/** A thread's answer; `refused` says why the task cannot be run by this deployment at all. */
export type ThreadAnswer = { outcome: ChunkOutcome } | { refused: string };

/** A line that a handler logged, on its way to the main thread. */
export interface LogLine {
  message: string;
  batch: string;
  chunk: string;
  position: number;
}

/** What a thread is given when it starts. */
export interface ThreadData {
  /** For the storage of handlers; without it they have none. */
  settings?: Settings;
}
