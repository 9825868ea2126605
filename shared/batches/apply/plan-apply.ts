/** Plans the collecting transaction: a pure function of the rows that were read, the outcomes and the options. */
import { addOperations, type Operations } from '../../contract/operations.ts';
import type { OutcomeHeader } from '../../contract/outcome.ts';
import type { StoredAction } from '../../storage/table.ts';
import type { HaltRule } from '../../workload/define.ts';
import { type BatchRow, toBatchEntity } from '../batch-row.ts';
import { addCauses } from '../causes.ts';
import { type ChunkRow, chunkRowKey, toChunkEntity } from '../chunk-row.ts';
import { create } from '../ledger.ts';
import { pausing } from '../pause.ts';
import { type DeadlineRisk, isAtRisk, isAwaited, riskOf } from '../progress/deadline-risk.ts';
import { followUps } from './follow-ups.ts';
import { haltOf } from './halt.ts';
import type { ApplyRead } from './read-for-apply.ts';

/**
 * The outcome of a chunk as a message reports it. `message` identifies the message and is the same at each delivery: the
 * digest of its text (collect-round.ts), or the id of the reference (collect-here.ts).
 */
export interface ReportedOutcome {
  chunk: string;
  header: OutcomeHeader;
  message: string;
  /** Its part of the operations that the message reports. If absent, there are none. */
  operations?: Operations;
}

/** The result of applying outcomes. The caller must put references for pending rows, but not in a paused batch. */
export interface Applied {
  batch: BatchRow;
  etag: string;
  /** All chunk rows of the batch after this call, if they are known to be complete: small batches are read as a whole. */
  allRows?: ChunkRow[];
  followUps: ChunkRow[];
  /** Follow-ups of repeated outcomes that are still pending: their references may never have been put. */
  repeated: ChunkRow[];
  /** Chunks that this call moved to done. */
  fresh: Set<string>;
  /**
   * Outcomes that were recorded from these messages, by this call or at an earlier delivery. Every delivery of a message
   * returns the same ones, so that the events about them are published until the message is deleted.
   */
  recorded: ReportedOutcome[];
  /** Whether one of them was recorded by the transaction in which the halt rule paused the batch. */
  isHalt: boolean;
  done: ChunkRow[];
  duplicates: number;
  /** Set if one of them was recorded by the transaction that found the deadline at risk. */
  risk?: DeadlineRisk;
  /** Whether the transaction has also finished the batch. */
  isBatchFinished?: true;
}

export interface ApplyOptions {
  at: string;
  /** Returns the rule by which a workload pauses its batches. No default. */
  haltRule?: (workload: string) => HaltRule | undefined;
  /** The rows of the chunks and their batch as they were read before. They are read again only if they have changed since. */
  known?: ApplyRead | undefined;
  /**
   * Called if nothing is pending after the transaction, with the resulting batch and all its chunk rows. Returns the
   * changes of the batch row that finish the batch, which are written in the same transaction. If absent or if it returns
   * undefined, the transaction does not finish the batch. May be called again with other rows if the transaction is
   * refused.
   */
  finish?: FinishBatch;
}

/** Finishes a batch that has no pending chunks: returns the changed fields of its row. */
export type FinishBatch = (batch: BatchRow, rows: ChunkRow[]) => Promise<Partial<BatchRow> | undefined>;

export interface Planned {
  actions: StoredAction[];
  applied: Omit<Applied, 'etag'>;
}

/**
 * Plans the transaction for outcomes of chunks, without the end of the batch. `spent` is charged to the batch, with the
 * operations of the outcomes: those of a message that was collected before are not charged again.
 */
export function planApply(
  read: ApplyRead,
  outcomes: ReportedOutcome[],
  options: ApplyOptions & { spent?: Operations },
): Planned {
  const actions: StoredAction[] = [];
  const batch = { ...read.batch.row };
  const applied: Omit<Applied, 'etag'> = {
    ...{ batch, followUps: [], repeated: [], fresh: new Set(), done: [], recorded: [] },
    ...{ isHalt: false, duplicates: 0 },
  };
  const rows = new Map([...read.chunks].map(([chunk, { row }]) => [chunk, row]));
  for (const outcome of unique(outcomes)) {
    const found = read.chunks.get(outcome.chunk);
    if (found?.row.state === 'pending') {
      const { done, next } = markDone(found.row, outcome, options.at);
      // The service requires the ETag of an updated row, but that of the batch row decides: each transaction that ends a
      // chunk replaces the batch row, too.
      actions.push(
        ['update', toChunkEntity(done), 'Replace', { etag: found.etag }],
        ...next.map((row) => create(toChunkEntity(row))),
      );
      for (const row of [done, ...next]) rows.set(row.chunk, row);
      applied.followUps.push(...next);
      applied.fresh.add(outcome.chunk);
      applied.done.push(done);
      count(batch, outcome.header, next.length);
    } else {
      applied.duplicates += 1;
      applied.repeated.push(...stillPending(read, found?.row));
    }
  }
  applied.duplicates += outcomes.length - unique(outcomes).length;
  const charged = outcomes.filter(({ chunk, message }) => read.chunks.get(chunk)?.row.endedBy !== message);
  if (outcomes.length > 0) {
    batch.operations = [
      batch.operations,
      options.spent ?? {},
      ...charged.map(({ operations = {} }) => operations),
    ].reduce(addOperations);
    actions.unshift(updateBatch(read, batch, applied, options));
  }
  applied.recorded = unique(outcomes.filter(({ chunk, message }) => rows.get(chunk)?.endedBy === message));
  const isRecorded = (at: string | undefined): boolean =>
    at !== undefined && applied.recorded.some(({ chunk }) => rows.get(chunk)?.doneAt === at);
  applied.isHalt = batch.paused?.by === 'halt' && isRecorded(batch.paused.at);
  if (isRecorded(batch.atRiskAt) && isAwaited(batch))
    applied.risk = riskOf(batch, { nowMs: Date.parse(options.at), progress: read.progress });
  if (rows.size === batch.chunksTotal) applied.allRows = [...rows.values()].sort(byChunk);
  return { actions, applied };
}

/** Changes the batch row. The state `enqueueing` stays: only intake or the sweep can complete it. */
function updateBatch(
  read: ApplyRead,
  batch: BatchRow,
  { duplicates, done }: Pick<Applied, 'duplicates' | 'done'>,
  options: ApplyOptions,
): StoredAction {
  batch.duplicatesSeen += duplicates;
  // Repeats may belong to an earlier revision, and they start nothing.
  if (done.length > 0) {
    batch.startedAt ??= options.at;
    if (batch.state === 'queued') batch.state = 'running';
    const headers = done.flatMap(({ header = [] }) => header);
    batch.causes = addCauses(batch.causes, headers);
    const halted = haltOf(batch, headers, { halt: options.haltRule?.(batch.workload), at: options.at });
    if (halted) Object.assign(batch, pausing(batch, halted));
    if (isAtRisk(batch, { nowMs: Date.parse(options.at), progress: read.progress })) batch.atRiskAt = options.at;
  }
  return replaceBatch(read, batch);
}

function markDone(row: ChunkRow, outcome: ReportedOutcome, at: string): { done: ChunkRow; next: ChunkRow[] } {
  const { dueAt: _dueAt, ...rest } = row;
  return {
    done: { ...rest, state: 'done', header: outcome.header, doneAt: at, endedBy: outcome.message },
    next: followUps(row.reference, outcome.header),
  };
}

function count(batch: BatchRow, header: OutcomeHeader, next: number): void {
  batch.chunksDone += 1;
  batch.chunksTotal += next;
  batch.succeeded += header.counts.succeeded;
  batch.dead += header.counts.dead;
  batch.discarded += header.counts.discarded ?? 0;
  batch.cancelled += header.counts.cancelled;
  if (header.ending !== 'split') batch.retried += header.counts.retried - (header.moved ?? 0);
  batch.handlerSeconds += header.handlerSeconds;
}

/** Creates the action that replaces the batch row if it is unchanged; it is the first of the transaction. */
export const replaceBatch = ({ batch: { etag } }: ApplyRead, row: BatchRow): StoredAction => [
  'update',
  toBatchEntity(row),
  'Replace',
  { etag },
];

const stillPending = (read: ApplyRead, row: ChunkRow | undefined): ChunkRow[] =>
  row?.header === undefined
    ? []
    : followUps(row.reference, row.header).filter((next) => read.chunks.get(next.chunk)?.row.state === 'pending');

const byChunk = (a: ChunkRow, b: ChunkRow): number => (chunkRowKey(a.chunk) < chunkRowKey(b.chunk) ? -1 : 1);

const unique = (all: ReportedOutcome[]): ReportedOutcome[] => [...new Map(all.map((one) => [one.chunk, one])).values()];
