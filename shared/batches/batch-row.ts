import type { Operations } from '../contract/operations.ts';
import type { Labels } from '../contract/text/labels.ts';
import type { UploadFormat } from '../contract/upload-kinds.ts';
import { type Entity, fromEntity, type StoredEntity, toEntity } from '../storage/entity.ts';
import {
  defineRow,
  double,
  flag,
  int32,
  int64,
  json,
  optional,
  type RowOf,
  text,
  type Values,
} from '../storage/row.ts';
import type { Causes } from './causes.ts';

/**
 * States of a batch. The last five are finished. `enqueueing`: accepted, but perhaps not completely enqueued. `paused`
 * is entered from `queued` and `running` and left to them; its references are deleted without being run, and put again
 * when it is resumed. `suspect`: none of the first items of the revision fits the schema. `reportFailed`: every item
 * has its outcome, as the counts show, but the report of the revision could not be created.
 */
export const BATCH_STATES = [
  'enqueueing',
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
const COUNTS = {
  accepted: int64(),
  succeeded: int64(0),
  dead: int64(0),
  /** Dead letters that an operator has discarded; `dead` no longer counts them. */
  discarded: int64(0),
  cancelled: int64(0),
};
export type BatchCounts = Values<typeof COUNTS>;

/** Why a batch is paused, and since when (service time). `halt`: the rule of its workload paused it. */
export interface BatchPause {
  by: 'operator' | 'halt';
  reason: string;
  at: string;
  /** When an operator's pause ends by itself: the first sweep after it resumes the batch. */
  until?: string | undefined;
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

export interface Suspect {
  causes: readonly SuspectCause[];
}

/** The times of a revision. */
export const TIMES = {
  /** Why its items were discarded, on one line; absent if the revision is not a discard. */
  discardReason: optional(text()),
  openedAt: text(),
  deadlineAt: text(),
  queuedAt: optional(text()),
  startedAt: optional(text()),
  completedAt: optional(text()),
  /** Total duration of its finished pauses; absent if there was none. */
  pausedMs: optional(int64()),
  /** Latency of its items, from the opening of the revision to their end, in milliseconds. */
  latencyP50: optional(int64()),
  latencyP95: optional(int64()),
  latencyMax: optional(int64()),
};

/** One revision, from its opening (the acceptance for revision 0) to its end. Times are ISO text in UTC. */
export type RevisionTimes = Values<typeof TIMES> & {
  revision: number;
  /** Number of its items: all of the upload, or those that were redriven or discarded. */
  items: number;
};

export const PRESENT_REVISION = {
  ...TIMES,
  revisionItems: int64(),
  /** Only in the state `suspect`. */
  suspect: optional(json<Suspect>()),
  /** Number of its first references that are in their queues; only in the state `enqueueing`, and only if it takes long. */
  enqueuedTo: optional(int64()),
  /** When the revision was first found likely to miss its deadline. */
  atRiskAt: optional(text()),
};
/** The columns of the present revision. They are reset when the next one opens. */
export type PresentRevision = Values<typeof PRESENT_REVISION>;

/** The row of a batch: what was accepted, how far it is, and what it cost. Times are ISO text in UTC. */
export const BATCH = defineRow('batch', {
  ...COUNTS,
  ...PRESENT_REVISION,
  state: text<BatchState>(),
  workload: text(),
  version: int32(),
  lane: text(),
  /** Offset of its chunks within the queues of the lane (`queueOf`); absent, which means 0, if an earlier version accepted it. */
  queueOffset: optional(int32()),
  pool: text(),
  sourceKind: text<'http' | 'inbox'>(),
  sourceName: text(),
  /** The version of the inbox file, without quotes; absent for an upload over HTTP. */
  sourceEtag: optional(text()),
  /** The sender of the reference from which the batch was adopted; absent if it came from a client or the inbox. */
  producer: optional(text()),
  /** Name of the file that was uploaded, without folders, as the client gave it. */
  fileName: optional(text()),
  labels: optional(json<Labels>()),
  /** The format of the upload; absent if an earlier version did not record it. */
  format: optional(text<UploadFormat>()),
  /** How a CSV upload was read. Its cells are text if the schema has no JSON Schema. */
  csv: optional(json<{ delimiter: string; columns: number; cells: 'text' | 'typed' }>()),
  /** Blob in container `payloads`, sha256 of the decoded upload, and the place of the chunk index. */
  payload: text(),
  digest: text(),
  indexOffset: int64(),
  indexLength: int64(),
  payloadBytes: int64(),
  storedBytes: int64(),
  chunksTotal: int64(),
  chunksDone: int64(0),
  /** The most frequent causes of the current dead letters, as far as they are counted; absent if none is known. */
  causes: optional(json<Causes>()),
  retried: int64(0),
  duplicatesSeen: int64(0),
  /** Increased by each redrive or discard. The report of revision n covers everything that was known at its end. */
  revision: int32(0),
  /** Revision of the newest report; -1 if there is none. */
  reportRevision: int32(-1),
  announced: flag(false),
  /** When the upload was accepted: the opening of revision 0. */
  acceptedAt: text(),
  /** The previous revisions, oldest first: the first one and the latest ones. */
  earlier: json<readonly RevisionTimes[]>([]),
  handlerSeconds: double(0),
  /** What was spent for it alone: charge.ts. */
  operations: json<Operations>({}),
  /** Row of the idempotency key, so that deleting the batch also frees the key. */
  keyRow: optional(text()),
  traceparent: optional(text()),
  /** Why the batch finished without a report of its newest revision. */
  reportProblem: optional(text()),
  /** When the present revision was cancelled, by service time. */
  cancellingAt: optional(text()),
  /** Present in the state `paused`. */
  paused: optional(json<BatchPause>()),
  /** How often the batch was resumed; absent if never. References that were put before the last resume are no longer needed. */
  resumes: optional(int32()),
  /** When the batch was resumed, by service time; present until the references of all its pending rows are put again. */
  resumingAt: optional(text()),
  /** The counts from which `halt` starts: those at the last resume, or at the opening of the revision; absent means zero. */
  haltFrom: optional(json<Pick<BatchCounts, 'succeeded' | 'dead'>>()),
  /** Blobs of the redrives of the report alone, by revision: such a revision has no chunk row that names its blob. */
  reportRedrives: optional(json<Readonly<Record<string, string>>>()),
  /** Since when the batch is being deleted; after that nothing new may start in it. */
  deletingAt: optional(text()),
});
export type BatchRow = RowOf<typeof BATCH> & { id: string };

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
  toEntity(BATCH, { partitionKey: id, rowKey: BATCH_ROW_KEY }, columns);

export const fromBatchEntity = (entity: Entity): Versioned<BatchRow> => ({
  row: { ...fromEntity(BATCH, entity), id: entity.partitionKey },
  etag: entity.etag,
});
