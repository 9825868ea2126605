import type { Operations } from '../contract/operations.ts';
import type { Labels } from '../contract/text/labels.ts';
import type { UploadFormat } from '../contract/upload-kinds.ts';
import type { OwnDrains } from '../cost/own-drains.ts';
import { type Entity, fromEntity, type StoredEntity, toEntity } from '../storage/entity.ts';
import type { Causes } from './causes.ts';

/**
 * States of a batch. The last five are finished; `accepting` means accepted, but perhaps not wholly enqueued. `paused` is
 * entered from and left to `queued` and `running`: its references are deleted unrun, and put again when it is resumed. In
 * `suspect` none of the first items of the revision fits the schema. In `reportFailed` every item has its outcome, as
 * the counts show, and the report of the revision could not be made.
 */
export const BATCH_STATES = [
  'accepting',
  'queued',
  'running',
  'paused',
  'cancelling',
  'completed',
  'completedWithDeadLetters',
  'suspect',
  'cancelled',
  'reportFailed',
] as const;
export type BatchState = (typeof BATCH_STATES)[number];

const FINISHED: ReadonlySet<BatchState> = new Set([
  'completed',
  'completedWithDeadLetters',
  'suspect',
  'cancelled',
  'reportFailed',
]);

/** Whether nothing more will happen to a batch in this state, short of a redrive. */
export const isFinished = (state: BatchState): boolean => FINISHED.has(state);

/**
 * Items of a batch by what became of them. `pending` is accepted minus the others; the ledger checks it against the
 * rows.
 */
export interface BatchCounts {
  accepted: number;
  succeeded: number;
  dead: number;
  /** Dead letters that an operator has discarded; `dead` does not count them any more. */
  discarded: number;
  cancelled: number;
}

/** Why a batch is paused, and since when (service time). `halt`: by the rule of its workload, for too many dead letters. */
export interface BatchPause {
  by: 'operator' | 'halt';
  reason: string;
  at: string;
}

/** One revision: from its opening, which for revision 0 is the acceptance, to its end. Times are ISO text in UTC. */
export interface RevisionTimes {
  revision: number;
  /** Items that it is about: all of the upload, or those that were redriven or discarded. */
  items: number;
  /** Why its items were discarded, on one line; absent: it is no discard. */
  discardReason?: string | undefined;
  openedAt: string;
  deadlineAt: string;
  queuedAt?: string | undefined;
  startedAt?: string | undefined;
  completedAt?: string | undefined;
  /** How long the revision was paused, over all pauses that have ended; absent: never. */
  pausedMs?: number | undefined;
  /** Of its items, from its opening to their end, in milliseconds. */
  latencyP50?: number | undefined;
  latencyP95?: number | undefined;
  latencyMax?: number | undefined;
}

/** A revision is suspect if its first items, so many, are all invalid; one of fewer items, if all of them are. */
export const SUSPECT_ITEMS = 1_000;

/** A frequent cause of dead letters in a suspect batch, at most 120 characters, and an item that died of it. */
export interface SuspectCause {
  cause: string;
  /** As far as the outcomes' headers name it: they list the most frequent causes of their chunk. */
  count: number;
  /** `position` is 0-based in the batch; `message` is one line. Absent when the dead letter could not be read. */
  example?: { position: number; message: string } | undefined;
}

/** Why a batch is suspect: its most frequent causes, the most frequent first. */
export interface Suspect {
  causes: readonly SuspectCause[];
}

/** The columns that belong to the present revision, and begin anew with each. */
export type PresentRevision = Omit<RevisionTimes, 'revision' | 'items'> & {
  revisionItems: number;
  /** Only in the state `suspect`. */
  suspect?: Suspect | undefined;
  /**
   * The highest of 25, 50 and 75 % that the revision has passed, and when that was recorded; `BatchProgress` publishes
   * it.
   */
  progressPercent?: number | undefined;
  progressAt?: string | undefined;
  /** When the revision was first found likely to miss its deadline. */
  atRiskAt?: string | undefined;
};

/**
 * The row of a batch: what was accepted, how far it is, and what it cost. Times are ISO text in UTC; those of
 * `PresentRevision` begin anew with each revision.
 */
export interface BatchRow extends BatchCounts, PresentRevision {
  id: string;
  state: BatchState;
  workload: string;
  version: number;
  lane: string;
  pool: string;
  sourceKind: 'http' | 'inbox';
  sourceName: string;
  /** Who put the reference that the batch was adopted from; absent: it came from a client or the inbox. */
  producer?: string | undefined;
  /** Name of the file that was uploaded, without folders, as the client gave it. */
  fileName?: string | undefined;
  labels?: Labels | undefined;
  /** What the upload was written in; absent: not recorded, by an earlier version. */
  format?: UploadFormat | undefined;
  /** What a CSV upload was read as. Its cells are text where the schema gives no JSON Schema. */
  csv?: { delimiter: string; columns: number; cells: 'text' | 'typed' } | undefined;
  /** Blob in container `payloads`, sha256 of the decoded upload, and where the chunk index lies. */
  payload: string;
  digest: string;
  indexOffset: number;
  indexLength: number;
  payloadBytes: number;
  storedBytes: number;
  chunksTotal: number;
  chunksDone: number;
  /** The most frequent causes of the dead letters that stand, as far as they are counted; absent: none is known. */
  causes?: Causes | undefined;
  retried: number;
  duplicatesSeen: number;
  /** Opened by a redrive or a discard; the report of revision n covers all that was known then. */
  revision: number;
  /** Revision of the newest report; -1 while there is none. */
  reportRevision: number;
  /** Whether the end of this revision has been published. */
  announced: boolean;
  /** When the upload was accepted: the opening of revision 0. */
  acceptedAt: string;
  /** The revisions before the present one, oldest first: the first and the latest. */
  earlier: readonly RevisionTimes[];
  handlerSeconds: number;
  operations: Operations;
  /** Its chunks by the drains that have ended them: it pays for a part of what those spend; absent: none is known. */
  drains?: OwnDrains | undefined;
  /** Row of the idempotency key, so that deleting the batch frees the key too. */
  keyRow?: string | undefined;
  traceparent?: string | undefined;
  /** Why the batch finished without a report of its newest revision. */
  reportProblem?: string | undefined;
  /** When the present revision was cancelled, by service time. */
  cancellingAt?: string | undefined;
  /** Of a batch in state `paused`. */
  paused?: BatchPause | undefined;
  /**
   * How often the batch was resumed; absent: never. References that were put before the last time are not needed any
   * more.
   */
  resumes?: number | undefined;
  /** When the batch was resumed, by service time, as long as not all references of its pending rows are put again. */
  resumingAt?: string | undefined;
  /** What had ended when `halt` began to count: at the last resume, or at the opening of the revision; absent: nothing. */
  haltFrom?: Pick<BatchCounts, 'succeeded' | 'dead'> | undefined;
  /**
   * The redrives of the report alone, as blob by revision: such a revision has no chunk row that would name its blob.
   */
  reportRedrives?: Readonly<Record<string, string>> | undefined;
  /** Since when the batch is being deleted: nothing may begin in it any more. */
  deletingAt?: string | undefined;
}

/** A row together with the ETag it was read with. */
export interface Versioned<T> {
  row: T;
  etag: string;
}

/** The row key of the batch row; it sorts before all chunk rows, so that one query reads it first. */
export const BATCH_ROW_KEY = 'batch';

/** Items that have no outcome yet, by the counters. */
export const pendingItems = ({ accepted, succeeded, dead, discarded, cancelled }: BatchCounts): number =>
  accepted - succeeded - dead - discarded - cancelled;

/** The table entity of a batch row. */
export const toBatchEntity = ({ id, ...columns }: BatchRow): StoredEntity =>
  toEntity('batch', { partitionKey: id, rowKey: BATCH_ROW_KEY }, columns);

/** A batch row from its entity. */
export const fromBatchEntity = (entity: Entity): Versioned<BatchRow> => ({
  row: { ...NOT_IN_OLD_ROWS, ...(fromEntity('batch', entity) as Omit<BatchRow, 'id'>), id: entity.partitionKey },
  etag: entity.etag,
});

/** Rows of an earlier version do not have these columns. */
const NOT_IN_OLD_ROWS = { discarded: 0 };
