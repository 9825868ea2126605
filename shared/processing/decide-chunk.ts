/** What becomes of the chunk of a reference, by the state of its batch, its deliveries and its stored outcome. */
import { isFinished } from '../batches/batch-row.ts';
import { type BatchStore, removeData } from '../batches/remove-batch.ts';
import { CONTAINERS } from '../contract/names.ts';
import type { OutcomeHeader } from '../contract/outcome.ts';
import type { DoneChunk, Reference } from '../contract/reference.ts';
import { addSpent } from '../cost/account.ts';
import type { SliceTime } from '../drain/slice-time.ts';
import type { GateDeps } from '../gate/gate.ts';
import type { Permits } from '../limits/permits.ts';
import type { Entry } from '../queues/messages.ts';
import type { BatchFacts, ReadBatchFacts } from './batch-states.ts';
import { type Frame, type FrameState, readFrame } from './fetch-frames.ts';
import { freeBytes } from './free-bytes.ts';
import type { Lease } from './lease.ts';
import type { ChunkOutcome } from './outcome/encode/encode-outcome.ts';
import { putOutcome, readOutcomeHeader } from './outcome/outcome-store.ts';
import { splitChunk, unrunOutcome } from './outcome/unrun-outcomes.ts';
import type { ChunkDisposition } from './publish/publish-results.ts';
import type { RunningChunks } from './running-chunks.ts';
import type { SharedLock } from './shared-lock.ts';
import { NotBegunError } from './threads/errors.ts';
import type { Processor } from './threads/processor.ts';

/** From this delivery on, a chunk may have crashed its process, and therefore runs isolated. */
const ISOLATION_DELIVERIES = 2;
/** Number of unfinished isolated starts after which a chunk counts as poison. */
const MAX_ISOLATED_STARTS = 2;
/** If the workload has limits, an isolated chunk begins no item after this time. */
const ISOLATED_LIMITED_MS = 20_000;

export interface ReferenceDeps extends BatchStore {
  /** A state in which chunks do not run is never older than the reference (batch-states.ts). */
  readBatch: ReadBatchFacts;
  running: Pick<RunningChunks, 'run'>;
  processor: Pick<Processor, 'process'>;
  lock: SharedLock;
  gate: Pick<GateDeps, 'table' | 'now'>;
  /** This process's share of a workload's limits; undefined if the workload has none. */
  permitsOf: (workload: string) => Permits | undefined;
  /** Receives each outcome that was certainly stored by this process. The body is valid only during the call. */
  onStored: (reference: Reference, outcome: Pick<ChunkOutcome, 'header' | 'body'>) => void;
}

export type ChunkEntry = Entry<Reference>;

/** A reference of a chunk, and what is known about its frame. */
export type Work = ChunkEntry & { frame: FrameState };

export interface ChunkRound {
  lease: Lease;
  time: SliceTime;
}

/** Returns whether the chunk of a reference may have run before: it was redelivered, or put again. */
export const mayBeDone = (entry: ChunkEntry): boolean => deliveries(entry) > 1 || entry.value.resent === true;

/** Counts the deliveries that may have begun the chunk: those that a living process returned do not count. */
const deliveries = ({ message, value }: ChunkEntry): number => message.dequeueCount - (value.returned ?? 0);

/**
 * Decides what becomes of a chunk, and runs it if it must run. Throws the errors of services and of the processor.
 * @throws NotBegunError or NoSlotError if the slice is over before the chunk has begun
 */
export async function decideChunk(deps: ReferenceDeps, work: Work, round: ChunkRound): Promise<ChunkDisposition> {
  const { batch: id, chunk, workload } = work.value;
  const batch = await deps.readBatch(id, chunk);
  if (batch === undefined) {
    // An earlier receiver of the same message may have written something after the deletion of the batch. It has died, so
    // that no result message shows its outcome to a collector.
    if (work.message.dequeueCount > 1) await removeData(deps, { id, workload });
    return 'orphaned';
  }
  const disposition = await decideIn(deps, work, { round, batch });
  return typeof disposition === 'string' ? disposition : { ...disposition, pending: batch.pending, read: batch.read };
}

interface InBatch {
  round: ChunkRound;
  batch: BatchFacts;
}

async function decideIn(deps: ReferenceDeps, work: Work, { round, batch }: InBatch): Promise<ChunkDisposition> {
  const { value: reference } = work;
  // The batch is finished, so this reference is a repeat. Its blobs may be being deleted with the batch, and must not be
  // created again. But the previous receiver of the same message may have crashed while it collected the batch
  // (collect-here.ts). Then the stored outcome is used to finish that work.
  const isRepeat = isFinished(batch.state);
  if (isRepeat && work.message.dequeueCount === 1) return repeatOf(batch);
  if (mayBeDone(work)) {
    const stored = await readOutcomeHeader(deps.container(CONTAINERS.results), reference);
    if (stored) return toDisposition(reference, stored);
  }
  if (isRepeat) return repeatOf(batch);
  // The chunk row stays pending. The next resume puts a new reference for it, or the latest resume already has.
  if (batch.state === 'paused' || (reference.resumes ?? 0) < (batch.resumes ?? 0)) return 'paused';
  if (batch.state === 'cancelling') return store(deps, work, unrun(deps, work, 'cancelled', work.frame));
  const waitMs = round.time.waitMs();
  if (deliveries(work) < ISOLATION_DELIVERIES) {
    return deps.lock.shared(async () => run(deps, work, { round, batch, frame: await knownFrame(deps, work) }), waitMs);
  }
  return deps.lock.exclusive(() => runIsolated(deps, work, { round, batch }), waitMs);
}

const repeatOf = ({ state }: BatchFacts): ChunkDisposition => (state === 'cancelled' ? 'cancelled' : 'duplicate');

/** Runs a redelivered chunk isolated, its start counted in the message. After two of them, splits or kills it. */
async function runIsolated(deps: ReferenceDeps, work: Work, { round, batch }: InBatch): Promise<ChunkDisposition> {
  const { message, value: reference } = work;
  const starts = reference.starts ?? 0;
  // This call has waited for the lock, perhaps for a run of the same chunk whose lease was lost.
  const stored = await readOutcomeHeader(deps.container(CONTAINERS.results), reference);
  if (stored) return toDisposition(reference, stored);
  if (starts >= MAX_ISOLATED_STARTS) {
    const items = reference.take ?? reference.items;
    if (items > 1) return store(deps, work, splitChunk(reference));
    // The dead letter needs the frame for its item and, for a retries frame, for the item's index.
    return store(deps, work, unrun(deps, work, 'killed', await knownFrame(deps, work)));
  }
  // The frame is read before the start is counted: a failing storage service is no sign of a crash.
  const frame = await knownFrame(deps, work);
  if (round.time.isOver()) throw new NotBegunError('The slice is over.');
  if (!(await round.lease.rewrite(message.messageId, { ...reference, starts: starts + 1 }))) return 'returned';
  return run(deps, work, { round, batch, frame, isIsolated: true });
}

/**
 * Returns the frame of a reference. A resent or redelivered one was not read with the others, because the chunk might be
 * done.
 * @throws the error of its read
 */
async function knownFrame({ container }: ReferenceDeps, { value, frame }: Work): Promise<Frame> {
  if (frame.kind === 'failed') throw frame.error;
  return frame.kind === 'unread' ? readFrame(container(value.container), value) : frame;
}

async function run(
  deps: ReferenceDeps,
  work: Work,
  {
    round: { time },
    batch: { deadlineAt },
    frame: found,
    isIsolated = false,
  }: InBatch & { frame: Frame; isIsolated?: boolean },
): Promise<ChunkDisposition> {
  if (found.kind === 'missing') return store(deps, work, unrun(deps, work, 'payloadMissing', found));
  const { value: reference } = work;
  const { bytes: frame } = found;
  const permits = deps.permitsOf(reference.workload);
  // Other chunks must not wait while an isolated chunk waits for its limits: its remaining items are passed on.
  const budgetMs = isIsolated && permits !== undefined ? ISOLATED_LIMITED_MS : undefined;
  const { beginUntilMs } = time;
  const limits = { permits, budgetMs, beginUntilMs, waitMs: time.waitMs() };
  const outcome = await deps.running.run(reference.batch, (stop, watch) =>
    deps.processor.process({ reference, frame, nowMs: deps.gate.now(), deadlineAt, stop, watch, ...limits }),
  );
  // Its handlers ran in a thread, which this process does not count.
  addSpent(outcome.operations ?? {});
  return store(deps, work, outcome);
}

const unrun = (
  deps: ReferenceDeps,
  { value: reference }: Work,
  kind: 'cancelled' | 'killed' | 'payloadMissing',
  frame: FrameState,
): ChunkOutcome =>
  unrunOutcome({
    reference,
    ending: kind,
    error: new Error(ENDING_TEXT[kind]),
    nowMs: deps.gate.now(),
    ...(frame.kind === 'read' ? { frame: frame.bytes } : {}),
  });

const ENDING_TEXT = {
  cancelled: 'The batch was cancelled.',
  killed: 'The process crashed each time this item ran, even alone.',
  payloadMissing: 'The blob that contains this item does not exist, or ends before the item.',
};

/**
 * Stores the outcome, even if the lease was lost meanwhile: the worker that now has the message finds this outcome, or
 * has stored another one, which then counts. If it were discarded instead, a system that is too slow for its leases would
 * never finish.
 */
async function store(deps: ReferenceDeps, work: Work, made: ChunkOutcome): Promise<ChunkDisposition> {
  // A round may last long: it keeps the data for its report, and not the bytes of the body.
  const { body, ...outcome } = made;
  const { header, first, isSent } = await putOutcome(deps.container(CONTAINERS.results), work.value, made);
  if (first) deps.onStored(work.value, { header, body });
  if (isSent) freeBytes(body);
  return first ? { ...toDisposition(work.value, header), outcome } : toDisposition(work.value, header);
}

const toDisposition = ({ batch, chunk }: Reference, header: OutcomeHeader): { done: DoneChunk } => ({
  done: { batch, chunk, header },
});
