/** What a thread exchanges: a compressed frame and plain values in, outcome bytes and counts out. Never an item. */
import type { Reference } from '../../contract/reference.ts';
import type { Permits } from '../../limits/permits.ts';
import type { Settings } from '../../settings.ts';
import type { Workload } from '../../workload/define.ts';
import type { ChunkOutcome } from '../outcome/encode/encode-outcome.ts';
import type { ErrorText } from '../outcome/error-text.ts';
import type { ChunkProgress, StatusBuffer } from './thread-status.ts';

/** A chunk to process. `frame` is the zstd frame as stored; `nowMs` is the service time. */
export interface ChunkJob {
  reference: Reference;
  frame: Uint8Array;
  nowMs: number;
  /** When the batch's report is due, ISO text; handlers receive it. If absent, the workload's `deadlineSeconds` from now. */
  deadlineAt?: string | undefined;
  /** Its abort reason is a Stop: the chunk then ends within seconds, with what has been done so far. */
  stop?: AbortSignal | undefined;
  /** Receives the reader of the chunk's progress, each time a thread starts the chunk. */
  watch?: Watch | undefined;
  /** This process's share of the limits of the workload. If absent, calls are not limited. */
  permits?: Permits | undefined;
  /** No item begins after this time. Defaults to the processor's time budget. */
  budgetMs?: number | undefined;
  /** Nor after this time of `processClockMs`. Defaults to no limit. */
  beginUntilMs?: number | undefined;
  /** Maximum wait for a thread, in milliseconds. Defaults to no limit. */
  waitMs?: number | undefined;
}

/** Accepts the reader of a running chunk's progress. */
export type Watch = (read: () => ChunkProgress) => void;

/** The item at `slot` ran alone and terminated its thread. It is charged at service time `atMs`. */
export type Verdict = { slot: number; atMs: number } & ({ kind: 'timedOut' } | { kind: 'killed'; error: ErrorText });

/** The end of an item without a result. `ran`: its handler was called. `failed`: it counts as a failed attempt. */
export interface OtherEnd {
  kind: 'retry' | 'dead' | 'cancelled';
  /** Its line in the retries or dead frame. */
  line: string;
  ran: boolean;
  failed: boolean;
  dueMs?: number;
  cause?: string;
}

/** The end of an item: the line of its result, or another end. */
export type ItemEnd = string | OtherEnd;

/** Ended items: for each slot, the length of its line in `bytes`, and the other data of an end without a result. */
export interface Copy {
  ends: (readonly [slot: number, length: number, other?: Omit<OtherEnd, 'line'>])[];
  /** The latest failure of the run so far, on one line; absent if there is none. */
  error?: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The remains of a dead thread: states of items, the copies it had sent, and the item that ended it, if known. */
export interface Remains {
  items: Uint8Array;
  copies: readonly Copy[];
  verdict: Verdict | undefined;
}

export interface ThreadTask extends Pick<ChunkJob, 'reference' | 'nowMs' | 'deadlineAt' | 'permits' | 'beginUntilMs'> {
  /** Identifies this run in its process; the thread's messages contain it. */
  id: number;
  /** In shared memory, so that the chunk can run again when the thread has died. */
  frame: Uint8Array;
  statusBuffer: StatusBuffer;
  /** No item begins after this time; the remaining items are passed on to the retry chunk, uncharged. */
  budgetMs: number;
  /** Whether the chunk runs even in a thread that has run others, although some of its items must run alone. */
  acceptsUsed?: boolean;
  /** Remains of the thread that ran the chunk and died: the outcome is created from them, and no handler is called. */
  remains?: Remains;
}

/** Returns the deadline of a chunk's batch, ISO text. */
export const deadlineOf = ({ deadlineSeconds }: Workload, { deadlineAt, nowMs }: ThreadTask): string =>
  deadlineAt ?? new Date(nowMs + deadlineSeconds * 1_000).toISOString();

/** `refused`: why this deployment cannot run the task. `notBegun`: there was no time left for any item. */
export type ThreadAnswer = { outcome: ChunkOutcome } | { refused: string } | { notBegun: true };

/** A line that a handler logged, on its way to the main thread. */
export interface LogLine {
  kind: 'log';
  task: number;
  message: string;
  batch: string;
  chunk: string;
  position?: number | undefined;
}

/** Items that have ended in the run `task`; see copies.ts. */
export interface CopyMessage {
  kind: 'copy';
  task: number;
  copy: Copy;
}

/** An error that no code awaited. `wasInFlight`: a call in flight was charged, or is repeated alone. */
export interface UnhandledError {
  kind: 'unhandled';
  /** The current run of the thread, or the latest one. */
  task: number;
  error: ErrorText;
  wasInFlight: boolean;
}

export type ThreadMessage = LogLine | CopyMessage | UnhandledError;

export interface ThreadData {
  /** For the storage of handlers. If absent, they have none. */
  settings?: Settings;
}
