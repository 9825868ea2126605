/**
 * What becomes of the chunk of a reference: the state of its batch, its deliveries and its stored outcome decide whether it
 * runs, and how.
 */
import type { ContainerClient } from '@azure/storage-blob';
import { isFinished } from '../batches/batch-row.ts';
import { CONTAINERS } from '../contract/names.ts';
import type { OutcomeHeader } from '../contract/outcome.ts';
import type { FinishedChunk, Reference } from '../contract/reference.ts';
import type { Permits } from '../limits/permits.ts';
import type { GateDeps } from '../wake/gate/gate.ts';
import type { Entry } from '../wake/messages.ts';
import type { BatchFacts, ReadBatchFacts } from './batch-states.ts';
import { type ReadFrame, readRange } from './fetch-frames.ts';
import type { Lease } from './lease.ts';
import { endWholeChunk, splitChunk } from './outcome/endings.ts';
import { freeBytes } from './outcome/free-bytes.ts';
import { putOutcome, readOutcomeHeader } from './outcome/outcome-store.ts';
import type { ChunkDisposition } from './publish/publish-results.ts';
import type { RunningChunks } from './running-chunks.ts';
import type { SharedLock } from './shared-lock.ts';
import type { ChunkOutcome } from './thread/thread-task.ts';
import type { Processor } from './thread-pool/processor.ts';

/** From this delivery on, a chunk may have crashed its process, and therefore runs isolated. */
const ISOLATION_DELIVERIES = 2;
/** Number of unfinished isolated starts after which a chunk counts as poison. */
const MAX_ISOLATED_STARTS = 2;
/** If the workload has limits, an isolated chunk begins no item after this time. */
const ISOLATED_LIMITED_MS = 20_000;
const SPLIT_PARTS = 32;

export interface ReferenceDeps {
  container: (name: string) => ContainerClient;
  /**
   * Reads a batch, once per slice while it is under way. A state in which chunks do not run is never older than the
   * reference.
   */
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

/** A reference of a chunk, with its frame if that was read with the others. */
export type Work = ChunkEntry & ReadFrame;

/** Returns whether the chunk of a reference may have run before: it was redelivered, or put again. */
export const mayBeDone = (entry: ChunkEntry): boolean => deliveries(entry) > 1 || entry.value.resent === true;

/** Counts the deliveries that may have begun the chunk: those that a living process returned do not count. */
const deliveries = ({ message, value }: ChunkEntry): number => message.dequeueCount - (value.returned ?? 0);

/** Decides what becomes of a chunk, and runs it if it must run. Throws the errors of services and of the processor. */
export async function decideChunk(deps: ReferenceDeps, work: Work, lease: Lease): Promise<ChunkDisposition> {
  const batch = await deps.readBatch(work.value.batch, work.value.chunk);
  if (batch === undefined) return 'orphaned';
  const disposition = await decideIn(deps, work, { lease, batch });
  return typeof disposition === 'string' ? disposition : { ...disposition, pending: batch.pending, read: batch.read };
}

async function decideIn(
  deps: ReferenceDeps,
  work: Work,
  { lease, batch }: { lease: Lease; batch: BatchFacts },
): Promise<ChunkDisposition> {
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
  if (batch.state === 'cancelling') return store(deps, work, ending(deps, work, 'cancelled'));
  if (deliveries(work) < ISOLATION_DELIVERIES) {
    return deps.lock.shared(async () => run(deps, await withOwnFrame(deps, work), batch));
  }
  return deps.lock.exclusive(() => runIsolated(deps, work, { lease, batch }));
}

const repeatOf = ({ state }: BatchFacts): ChunkDisposition => (state === 'cancelled' ? 'cancelled' : 'duplicate');

/**
 * Runs a redelivered chunk isolated, after its start was counted in the message. After two unfinished isolated starts, it
 * is split, or ends as `killed` if it has one item.
 */
async function runIsolated(
  deps: ReferenceDeps,
  work: Work,
  { lease, batch }: { lease: Lease; batch: BatchFacts },
): Promise<ChunkDisposition> {
  const { message, value: reference } = work;
  const starts = reference.starts ?? 0;
  // This call has waited for the lock, perhaps for a run of the same chunk whose lease was lost.
  const stored = await readOutcomeHeader(deps.container(CONTAINERS.results), reference);
  if (stored) return toDisposition(reference, stored);
  if (starts >= MAX_ISOLATED_STARTS) {
    const items = reference.take ?? reference.items;
    if (items > 1) return store(deps, work, splitChunk(reference, SPLIT_PARTS));
    // The dead letter needs the frame for its item and, for a retries frame, for the item's index.
    return store(deps, work, ending(deps, await withOwnFrame(deps, work), 'killed'));
  }
  // The frame is read before the start is counted: a failing storage service is no sign of a crash.
  const framed = await withOwnFrame(deps, work);
  if (!(await lease.rewrite(message.messageId, { ...reference, starts: starts + 1 }))) return 'returned';
  return run(deps, framed, batch, { isIsolated: true });
}

/** Reads the frame of a resent or redelivered reference. It was not read with the others, because the chunk might be done. */
async function withOwnFrame({ container }: ReferenceDeps, work: Work): Promise<Work> {
  if (!mayBeDone(work)) return work;
  return { ...work, frame: await readRange(container(work.value.container), work.value) };
}

async function run(
  deps: ReferenceDeps,
  work: Work,
  { deadlineAt }: BatchFacts,
  { isIsolated = false } = {},
): Promise<ChunkDisposition> {
  const { value: reference, frame } = work;
  const permits = deps.permitsOf(reference.workload);
  // Other chunks must not wait while an isolated chunk waits for its limits: its remaining items are passed on.
  const budgetMs = isIsolated && permits !== undefined ? ISOLATED_LIMITED_MS : undefined;
  if (frame === undefined) return store(deps, work, ending(deps, work, 'payloadMissing'));
  const outcome = await deps.running.run(reference.batch, (stop, watch) =>
    deps.processor.process({ reference, frame, nowMs: deps.gate.now(), deadlineAt, stop, watch, permits, budgetMs }),
  );
  return store(deps, work, outcome);
}

const ending = (deps: ReferenceDeps, work: Work, kind: 'cancelled' | 'killed' | 'payloadMissing'): ChunkOutcome =>
  endWholeChunk({
    reference: work.value,
    ending: kind,
    error: new Error(ENDING_TEXT[kind]),
    nowMs: deps.gate.now(),
    version: work.value.version,
    ...(work.frame === undefined ? {} : { frame: work.frame }),
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

const toDisposition = ({ batch, chunk }: Reference, header: OutcomeHeader): { end: FinishedChunk } => ({
  end: { batch, chunk, header },
});
