import type { Operations } from '../contract/operations.ts';
import type { Labels } from '../contract/text/labels.ts';
import type { UploadFormat } from '../contract/upload-kinds.ts';
import type { OwnDrains } from '../cost/drains/own-drains.ts';
import { type Entity, fromEntity, type StoredEntity, toEntity } from '../storage/entity.ts';
import type { Causes } from './causes.ts';

/**
 * States of a batch. The last five are finished. `accepting`: accepted, but perhaps not completely enqueued. `paused`
 * is entered from `queued` and `running` and left to them; its references are deleted without being run, and put again
 * when it is resumed. `suspect`: none of the first items of the revision fits the schema. `reportFailed`: every item
 * has its outcome, as the counts show, but the report of the revision could not be created.
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

/** Whether nothing more happens to a batch in this state except by a redrive. */
export const isFinished = (state: BatchState): boolean => FINISHED.has(state);

/** Items of a batch by their outcome. `pending` is `accepted` minus all others; the ledger checks it against the rows. */
export interface BatchCounts {
  accepted: number;
  succeeded: number;
  dead: number;
  /** Dead letters that an operator has discarded; `dead` no longer counts them. */
  discarded: number;
  cancelled: number;
}

/**
 * Why a batch is paused, and since when (service time). `halt`: the rule of its workload paused it because of too many
 * dead letters.
 */
export interface BatchPause {
  by: 'operator' | 'halt';
  reason: string;
  at: string;
}

/** One revision, from its opening (the acceptance for revision 0) to its end. Times are ISO text in UTC. */
export interface RevisionTimes {
  revision: number;
  /** Number of its items: all of the upload, or those that were redriven or discarded. */
  items: number;
  /** Why its items were discarded, on one line; absent if the revision is not a discard. */
  discardReason?: string | undefined;
  openedAt: string;
  deadlineAt: string;
  queuedAt?: string | undefined;
  startedAt?: string | undefined;
  completedAt?: string | undefined;
  /** Total duration of its finished pauses; absent if there was none. */
  pausedMs?: number | undefined;
  /** Latency of its items, from the opening of the revision to their end, in milliseconds. */
  latencyP50?: number | undefined;
  latencyP95?: number | undefined;
  latencyMax?: number | undefined;
}

/** A revision is suspect if this many first items are all invalid. If it has fewer items, all of them must be invalid. */
export const SUSPECT_ITEMS = 1_000;

/** A frequent cause of dead letters in a suspect batch, at most 120 characters, and one item with this cause. */
export interface SuspectCause {
  cause: string;
  /** As far as the headers of the outcomes contain it: they list the most frequent causes of their chunk. */
  count: number;
  /** `position` is 0-based in the batch; `message` is one line. Absent if the dead letter could not be read. */
  example?: { position: number; message: string } | undefined;
}

/** Why a batch is suspect: its causes, the most frequent first. */
export interface Suspect {
  causes: readonly SuspectCause[];
}

/** The columns of the present revision. They are reset when the next one opens. */
export type PresentRevision = Omit<RevisionTimes, 'revision' | 'items'> & {
  revisionItems: number;
  /** Only in the state `suspect`. */
  suspect?: Suspect | undefined;
  /** The highest of 25, 50 and 75 % that the revision has passed, and when that was recorded; `BatchProgress` publishes it. */
  progressPercent?: number | undefined;
  progressAt?: string | undefined;
  /** When the revision was first found likely to miss its deadline. */
  atRiskAt?: string | undefined;
};

/**
 * The row of a batch: what was accepted, how far it is, and what it cost. Times are ISO text in UTC. The columns of
 * `PresentRevision` are reset with each revision.
 */
export interface BatchRow extends BatchCounts, PresentRevision {
  id: string;
  state: BatchState;
  workload: string;
  version: number;
  lane: string;
  /** Offset of its chunks within the queues of the lane (`queueOf`); absent, which means 0, if an earlier version accepted it. */
  queueOffset?: number | undefined;
  pool: string;
  sourceKind: 'http' | 'inbox';
  sourceName: string;
  /** The sender of the reference from which the batch was adopted; absent if it came from a client or the inbox. */
  producer?: string | undefined;
  /** Name of the file that was uploaded, without folders, as the client gave it. */
  fileName?: string | undefined;
  labels?: Labels | undefined;
  /** The format of the upload; absent if an earlier version did not record it. */
  format?: UploadFormat | undefined;
  /** How a CSV upload was read. Its cells are text if the schema has no JSON Schema. */
  csv?: { delimiter: string; columns: number; cells: 'text' | 'typed' } | undefined;
  /** Blob in container `payloads`, sha256 of the decoded upload, and the place of the chunk index. */
  payload: string;
  digest: string;
  indexOffset: number;
  indexLength: number;
  payloadBytes: number;
  storedBytes: number;
  chunksTotal: number;
  chunksDone: number;
  /** The most frequent causes of the current dead letters, as far as they are counted; absent if none is known. */
  causes?: Causes | undefined;
  retried: number;
  duplicatesSeen: number;
  /** Increased by each redrive or discard. The report of revision n covers everything that was known at its end. */
  revision: number;
  /** Revision of the newest report; -1 if there is none. */
  reportRevision: number;
  /** Whether the end of this revision has been published. */
  announced: boolean;
  /** When the upload was accepted: the opening of revision 0. */
  acceptedAt: string;
  /** The previous revisions, oldest first: the first one and the latest ones. */
  earlier: readonly RevisionTimes[];
  handlerSeconds: number;
  operations: Operations;
  /** Its chunks by the drains that have ended them: the batch pays a share of what those spend; absent if none is known. */
  drains?: OwnDrains | undefined;
  /** Row of the idempotency key, so that deleting the batch also frees the key. */
  keyRow?: string | undefined;
  traceparent?: string | undefined;
  /** Why the batch finished without a report of its newest revision. */
  reportProblem?: string | undefined;
  /** When the present revision was cancelled, by service time. */
  cancellingAt?: string | undefined;
  /** Present in the state `paused`. */
  paused?: BatchPause | undefined;
  /** How often the batch was resumed; absent if never. References that were put before the last resume are no longer needed. */
  resumes?: number | undefined;
  /** When the batch was resumed, by service time; present until the references of all its pending rows are put again. */
  resumingAt?: string | undefined;
  /** The counts from which `halt` starts: those at the last resume, or at the opening of the revision; absent means zero. */
  haltFrom?: Pick<BatchCounts, 'succeeded' | 'dead'> | undefined;
  /** Blobs of the redrives of the report alone, by revision: such a revision has no chunk row that names its blob. */
  reportRedrives?: Readonly<Record<string, string>> | undefined;
  /** Since when the batch is being deleted; after that nothing new may start in it. */
  deletingAt?: string | undefined;
}

/** A row with the ETag that it was read with. */
export interface Versioned<T> {
  row: T;
  etag: string;
}

/** The row key of the batch row; it sorts before all chunk rows, so that one query reads it first. */
export const BATCH_ROW_KEY = 'batch';

/** Returns how many items have no outcome yet, by the counters. */
export const pendingItems = ({ accepted, succeeded, dead, discarded, cancelled }: BatchCounts): number =>
  accepted - succeeded - dead - discarded - cancelled;

/** The table entity of a batch row. */
export const toBatchEntity = ({ id, ...columns }: BatchRow): StoredEntity =>
  toEntity('batch', { partitionKey: id, rowKey: BATCH_ROW_KEY }, columns);

/** Creates a batch row from its entity. */
export const fromBatchEntity = (entity: Entity): Versioned<BatchRow> => ({
  row: { ...NOT_IN_OLD_ROWS, ...(fromEntity('batch', entity) as Omit<BatchRow, 'id'>), id: entity.partitionKey },
  etag: entity.etag,
});

/** Rows of an earlier version do not have these columns. */
const NOT_IN_OLD_ROWS = { discarded: 0 };
