/** What crosses the thread border: a compressed frame and plain facts in, outcome bytes and counts out. Never an item. */
import type { Operations } from '../../contract/operations.ts';
import type { OutcomeHeader } from '../../contract/outcome.ts';
import type { Reference } from '../../contract/reference.ts';
import type { Permits } from '../../limits/permits.ts';
import type { Settings } from '../../settings.ts';
import type { ErrorText } from '../outcome/error-text.ts';
import type { ChunkProgress, StatusBuffer } from './thread-status.ts';

/** A chunk to be processed. `frame` is the zstd frame as stored; `nowMs` is the service time. */
export interface ChunkJob {
  reference: Reference;
  frame: Uint8Array;
  nowMs: number;
  /** When the batch's report is due, ISO text; handlers get it. Absent: the workload's `deadlineSeconds` from now. */
  deadlineAt?: string | undefined;
  /** Its reason is a Stop: the chunk then ends within seconds, with what has been done so far. */
  stop?: AbortSignal | undefined;
  /** Is given the way to read how far the chunk is, each time a thread takes it. */
  watch?: Watch | undefined;
  /** The limits of the workload, as they are shared out to this process; absent: calls are not limited. */
  permits?: Permits | undefined;
  /** No item of it is begun after this long; absent: after as long as the processor gives to all. */
  budgetMs?: number | undefined;
}

/** Takes the way to read how far a running chunk is. */
export type Watch = (read: () => ChunkProgress) => void;

/** The item at `slot` has ended its thread: it was run alone. Charged at service time `atMs`. */
export type Verdict = { slot: number; atMs: number } & ({ kind: 'timedOut' } | { kind: 'killed'; error: ErrorText });

/** How an item ended other than with a result. `ran`: its handler was called. `failed`: it counts as a failed attempt. */
export interface OtherEnd {
  kind: 'retry' | 'dead' | 'cancelled';
  /** Its line in the retries or dead frame. */
  line: string;
  ran: boolean;
  failed: boolean;
  dueMs?: number;
  cause?: string;
}

/** How an item ended: the line of its result, or otherwise. */
export type EndedItem = string | OtherEnd;

/** Ended items: by slot, how many bytes of `bytes` are its line, and what else is to be known of one without a result. */
export interface Copy {
  ends: (readonly [slot: number, length: number, other?: Omit<OtherEnd, 'line'>])[];
  /** The latest failure of the run so far, on one line; absent: none. */
  error?: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** What a thread has left that died: the state of each item, the copies it had sent, and who is to blame, if that is known. */
export interface Remains {
  items: Uint8Array;
  copies: readonly Copy[];
  verdict: Verdict | undefined;
}

/** One run of a chunk in a thread. */
export interface ThreadTask extends Pick<ChunkJob, 'reference' | 'nowMs' | 'deadlineAt' | 'permits'> {
  /** Of this run among those of its process: copies name it. */
  id: number;
  /** On shared memory, so that the chunk can be run again when the thread is gone. */
  frame: Uint8Array;
  statusBuffer: StatusBuffer;
  /** No item is begun after this long; the rest is passed on to the retries chunk, uncharged. */
  budgetMs: number;
  /** Run it also in a thread that has run others, although items of it have to be alone. */
  acceptsUsed?: boolean;
  /** Of the thread that ran the chunk and died: its outcome is made of this, and no handler is called. */
  remains?: Remains;
}

/** What became of a chunk. */
export interface ChunkOutcome {
  header: OutcomeHeader;
  body: Uint8Array;
  /** Items that failed for retry as the handler threw or timed out, the last attempt included. */
  failures: number;
  /** The error of one of them, on one line; empty when there is none. */
  failure: string;
  /** Items whose handler ran, and was not throttled by the other side. */
  ran: number;
  /** Dead letters by cause: reason, error name and message with numbers and quoted text masked. */
  causes: Record<string, number>;
  /** Seconds in which the thread could begin nothing, as the limits of the workload did not allow it; absent: none. */
  waitedSeconds?: number;
  /** Storage operations that the handlers did; absent: none. */
  operations?: Operations;
}

/** A thread's answer; `refused` says why the task cannot be run by this deployment at all. */
export type ThreadAnswer = { outcome: ChunkOutcome } | { refused: string };

/** A line that a handler logged, on its way to the main thread. */
export interface LogLine {
  kind: 'log';
  task: number;
  message: string;
  batch: string;
  chunk: string;
  position: number;
}

/** Items that have ended in the run `task`; see copies.ts. */
export interface CopyMessage {
  kind: 'copy';
  task: number;
  copy: Copy;
}

/** An error that nobody awaited, or that was thrown in a callback. `wasInFlight`: a call in flight was charged, or is made again alone. */
export interface UnhandledError {
  kind: 'unhandled';
  /** The run under way in the thread, or the latest one. */
  task: number;
  error: ErrorText;
  wasInFlight: boolean;
}

/** What a thread sends beside its answer. */
export type ThreadMessage = LogLine | CopyMessage | UnhandledError;

/** What a thread is given when it starts. */
export interface ThreadData {
  /** For the storage of handlers; without it they have none. */
  settings?: Settings;
}
