/** The collecting transaction: chunks from pending to done, what follows from them, and the counters, in one step. */
import { isDeepStrictEqual } from 'node:util';
import { addOperations, type Operations } from '../../contract/operations.ts';
import type { OutcomeHeader } from '../../contract/outcome.ts';
import type { Meter } from '../../cost/meter.ts';
import { LOST_RACE, retryLostRace } from '../../storage/lost-race.ts';
import { isLostRace, type StoredAction, type Table } from '../../storage/table.ts';
import { log } from '../../telemetry/log.ts';
import type { HaltRule } from '../../workload/define.ts';
import { type BatchRow, toBatchEntity } from '../batch-row.ts';
import { addCauses } from '../causes.ts';
import { type ChunkRow, chunkRowKey, toChunkEntity } from '../chunk-row.ts';
import { create, etagIn, rowOf } from '../ledger.ts';
import { pausing } from '../pause.ts';
import { type DeadlineRisk, isAtRisk, isAwaited, riskOf } from '../progress/deadline-risk.ts';
import { progressStep } from '../progress/progress-step.ts';
import { charge, type Drain } from './charge.ts';
import { followUps } from './follow-ups.ts';
import { haltOf } from './halt.ts';
import { type ApplyRead, readForApply } from './read-for-apply.ts';

/**
 * A chunk's end as a message reports it. `message` names the message, the same at each delivery: by the digest of its text
 * (collect-round.ts), or by the id of the reference (collect-here.ts).
 */
export interface ChunkEnd {
  chunk: string;
  header: OutcomeHeader;
  message: string;
  /** Its share of the operations that the message brings; default nothing. */
  operations?: Operations;
  /** The drain of the work queue that has ended it, if the message names one. */
  drain?: Drain | undefined;
}

/** What applying ends came to. Pending rows must get their references, but not in a paused batch. */
export interface Applied {
  batch: BatchRow;
  etag: string;
  /** All chunk rows of the batch as they are now, if they are known to be all: small batches are read whole. */
  allRows?: ChunkRow[];
  /** Pending rows that this call has inserted. */
  followUps: ChunkRow[];
  /**
   * Follow-ups of repeated ends that are pending still: whoever inserted them may have died before it put their
   * references.
   */
  repeated: ChunkRow[];
  /** Chunks that this call moved to done. */
  fresh: Set<string>;
  /**
   * Ends that were recorded from these messages: by this call, or at an earlier delivery of the message. Every delivery
   * of a message returns the same ones, so that the events about them are published until the message is deleted.
   */
  own: ChunkEnd[];
  /** Whether one of them was recorded by the transaction that set the batch's latest progress. */
  isProgress: boolean;
  /** Whether one of them was recorded by the transaction in which the halt rule paused the batch. */
  isHalt: boolean;
  /** The rows of the fresh chunks. */
  done: ChunkRow[];
  /** Ends that the batch was charged for: not those of a message that was collected before. */
  charged: number;
  duplicates: number;
  /** Set if one of them was recorded by the transaction that found the deadline at risk. */
  risk?: DeadlineRisk;
  /** Whether the transaction has ended the batch, too. */
  isEnd?: true;
}

/** What the collecting transaction needs beside the ends themselves. */
export interface ApplyOptions {
  at: string;
  /** Counts what this call does for the batch; default: it is not recorded. */
  meter?: Pick<Meter, 'record' | 'unrecorded'>;
  /** The drain of the result queue that collects the ends; default none. */
  collector?: Drain | undefined;
  /** The rule of a workload for pausing its batches; default none. */
  haltRule?: (workload: string) => HaltRule | undefined;
  /** The rows of the ends and their batch, as they were read before: they are read again only if they have changed since. */
  known?: ApplyRead | undefined;
  /**
   * Called with the batch and all its chunk rows as they are going to be, if then nothing is pending: gives what the end of the
   * batch changes in its row, in the same transaction. Undefined, and default: the batch does not end with it. May be called
   * again with other rows, if the transaction is refused.
   */
  end?: EndBatch;
}

/** Ends a batch of which nothing is pending: gives the fields of its row. */
export type EndBatch = (batch: BatchRow, rows: ChunkRow[]) => Promise<Partial<BatchRow> | undefined>;

/**
 * Moves chunks from pending to done, inserts the rows of what follows, and moves the counters: one transaction for at
 * most 98 rows. Chunks that are done already are counted as duplicates and dropped; their follow-ups that are still
 * pending are returned, to be put again. Undefined when the batch does not exist.
 */
export const applyEnds = (
  table: Table,
  id: string,
  ends: ChunkEnd[],
  options: ApplyOptions,
): Promise<Applied | undefined> => {
  let refused: Planned | undefined;
  let { known } = options;
  const record = (plan: Planned): void => options.meter?.record(plan.own);
  return retryLostRace(rowOf(id), async () => {
    const chunks = ends.map(({ chunk }) => chunk);
    const read = known ?? (await readForApply(table, id, chunks));
    known = undefined;
    if (!read) return undefined;
    if (refused && isWritten(read, refused.applied)) {
      record(refused);
      return asRead(read, refused.applied);
    }
    const plan = await withEnd(planApply(read, ends, options), read, options.end);
    try {
      const done = await table.submitTransaction(plan.actions);
      record(plan);
      return { ...plan.applied, etag: etagIn(done) };
    } catch (error) {
      if (!isLostRace(error)) throw error;
      log.debug('ledger-race', { batch: id });
      refused = plan;
      return LOST_RACE;
    }
  });
};

/**
 * Whether a transaction that was refused has taken effect, its answer alone being lost: all chunks that it was to end read
 * as it wrote them, which nobody changes any more. One of repeats alone has written nothing but the batch row.
 */
function isWritten(read: ApplyRead, { batch, done }: Omit<Applied, 'etag'>): boolean {
  if (done.length === 0) return isSame(read.batch.row, batch);
  return done.every((row) => isSame(read.chunks.get(row.chunk)?.row, row));
}

/** Equal as stored: a column that is absent and one that is undefined are the same. */
const isSame = (a: unknown, b: unknown): boolean => isDeepStrictEqual(stored(a), stored(b));
const stored = (row: unknown): unknown => (row === undefined ? undefined : JSON.parse(JSON.stringify(row)));

/** The batch row may have been changed since by others, who may have added chunks. */
function asRead({ batch }: ApplyRead, { allRows: _older, ...applied }: Omit<Applied, 'etag'>): Applied {
  return { ...applied, batch: batch.row, etag: batch.etag };
}

/** A transaction, what it comes to, and what of this process's operations it records. */
interface Planned {
  actions: StoredAction[];
  applied: Omit<Applied, 'etag'>;
  own: Operations;
}

/** The transaction itself: it cannot count what it writes. */
const TRANSACTION: Operations = { 'table.transaction': 1 };

function planApply(read: ApplyRead, ends: ChunkEnd[], options: ApplyOptions): Planned {
  const actions: StoredAction[] = [];
  const batch = { ...read.batch.row };
  const applied: Omit<Applied, 'etag'> = {
    ...{ batch, followUps: [], repeated: [], fresh: new Set(), done: [], own: [] },
    ...{ isProgress: false, isHalt: false, duplicates: 0, charged: 0 },
  };
  const own = options.meter ? addOperations(options.meter.unrecorded(), TRANSACTION) : {};
  const rows = new Map([...read.chunks].map(([chunk, { row }]) => [chunk, row]));
  for (const end of unique(ends)) {
    const found = read.chunks.get(end.chunk);
    if (found?.row.state === 'pending') {
      const { done, next } = finish(found.row, end, options.at);
      actions.push(
        ['update', toChunkEntity(done), 'Replace', { etag: found.etag }],
        ...next.map((row) => create(toChunkEntity(row))),
      );
      for (const row of [done, ...next]) rows.set(row.chunk, row);
      applied.followUps.push(...next);
      applied.fresh.add(end.chunk);
      applied.done.push(done);
      count(batch, end.header, next.length);
    } else {
      applied.duplicates += 1;
      applied.repeated.push(...stillPending(read, found?.row));
    }
  }
  applied.duplicates += ends.length - unique(ends).length;
  const charged = ends.filter(({ chunk, message }) => read.chunks.get(chunk)?.row.endedBy !== message);
  applied.charged = charged.length;
  if (ends.length > 0) {
    charge(batch, charged, { own, collector: options.collector });
    actions.unshift(updateBatch(read, batch, applied, options));
  }
  applied.own = unique(ends.filter(({ chunk, message }) => rows.get(chunk)?.endedBy === message));
  const isOwn = (at: string | undefined): boolean =>
    at !== undefined && applied.own.some(({ chunk }) => rows.get(chunk)?.doneAt === at);
  applied.isProgress = isOwn(batch.progressAt);
  applied.isHalt = batch.paused?.by === 'halt' && isOwn(batch.paused.at);
  if (isOwn(batch.atRiskAt) && isAwaited(batch))
    applied.risk = riskOf(batch, { nowMs: Date.parse(options.at), progress: read.progress });
  if (rows.size === batch.chunksTotal) applied.allRows = [...rows.values()].sort(byChunk);
  return { actions, applied, own };
}

/** `accepting` stays: it says that intake has not come to its end, and only intake or the sweep knows better. */
function updateBatch(
  read: ApplyRead,
  batch: BatchRow,
  { duplicates, done }: Pick<Applied, 'duplicates' | 'done'>,
  options: ApplyOptions,
): StoredAction {
  batch.duplicatesSeen += duplicates;
  // Repeats may be of an earlier revision, and start nothing.
  if (done.length > 0) {
    batch.startedAt ??= options.at;
    if (batch.state === 'queued') batch.state = 'running';
    const headers = done.flatMap(({ header = [] }) => header);
    batch.causes = addCauses(batch.causes, headers);
    const halted = haltOf(batch, headers, { halt: options.haltRule?.(batch.workload), at: options.at });
    if (halted) Object.assign(batch, pausing(batch, halted));
    Object.assign(batch, progressStep(batch, options.at));
    if (isAtRisk(batch, { nowMs: Date.parse(options.at), progress: read.progress })) batch.atRiskAt = options.at;
  }
  return replaceBatch(read, batch);
}

function finish(row: ChunkRow, end: ChunkEnd, at: string): { done: ChunkRow; next: ChunkRow[] } {
  const { dueAt: _dueAt, ...rest } = row;
  return {
    done: { ...rest, state: 'done', header: end.header, doneAt: at, endedBy: end.message },
    next: followUps(row.reference, end.header),
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

/** Only with all rows at hand: of a larger batch they are read first, when the last chunk is done. */
async function withEnd(plan: Planned, read: ApplyRead, end: EndBatch | undefined): Promise<Planned> {
  const { batch, allRows, done } = plan.applied;
  if (end === undefined || allRows === undefined || done.length === 0 || batch.chunksDone !== batch.chunksTotal)
    return plan;
  const fields = await end(batch, allRows);
  if (fields === undefined) return plan;
  const ended = { ...batch, ...fields };
  const [, ...others] = plan.actions;
  const applied: Planned['applied'] = { ...plan.applied, batch: ended, isEnd: true };
  return { ...plan, actions: [replaceBatch(read, ended), ...others], applied };
}

const replaceBatch = ({ batch: { etag } }: ApplyRead, row: BatchRow): StoredAction => [
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

const unique = (ends: ChunkEnd[]): ChunkEnd[] => [...new Map(ends.map((end) => [end.chunk, end])).values()];
