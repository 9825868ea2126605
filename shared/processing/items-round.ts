/**
 * A round of a dequeue task on a queue of items. What becomes of each chunk is stored as one outcome blob. Then the round
 * sends one result message for all references (a long round sends one every five seconds) and one wake event for the
 * result queue. It deletes the references last. Small batches are collected immediately, without a result message
 * (collect-here.ts).
 */
import type { ContainerClient } from '@azure/storage-blob';
import { isFinished } from '../batches/batch-row.ts';
import { CONTAINERS } from '../contract/names.ts';
import { addOperations, type Operations } from '../contract/operations.ts';
import type { OutcomeHeader } from '../contract/outcome.ts';
import { type BlobReference, type FinishedChunk, isBlobReference, type Reference } from '../contract/reference.ts';
import { storableLine } from '../contract/text/text.ts';
import type { Meter } from '../cost/meter.ts';
import type { Round } from '../drain/activities.ts';
import { earlier } from '../drain/slice-result.ts';
import { isOutage, toError } from '../errors.ts';
import type { Permits } from '../limits/permits.ts';
import { inParallel } from '../parallel.ts';
import { log } from '../telemetry/log.ts';
import { commonTrace } from '../telemetry/trace.ts';
import type { Publish } from '../wake/events/publish.ts';
import { type Entry, readEntries } from '../wake/messages.ts';
import type { QueueAddress, Registry } from '../workload/registry.ts';
import { type AdoptDeps, adopt, readReferenceOn } from './adopt.ts';
import type { BatchFacts, ReadBatchFacts } from './batch-states.ts';
import { inChunkSpan } from './chunk-span.ts';
import { type ReadFrame, readFrames, readRange } from './fetch-frames.ts';
import { asReturned, holdLease, type Lease } from './lease.ts';
import { endWholeChunk, splitChunk } from './outcome/endings.ts';
import { freeBytes } from './outcome/free-bytes.ts';
import { putOutcome, readOutcomeHeader } from './outcome/outcome-store.ts';
import type { CollectHereDeps } from './publish/collect-here.ts';
import { type ChunkDisposition, countWork, handlerOperations } from './publish/publish-results.ts';
import { createRoundPublisher } from './publish/round-publisher.ts';
import { FAULT_RETRY_SECONDS, returnMessage } from './return-message.ts';
import type { RunningChunks } from './running-chunks.ts';
import type { ChunkOutcome } from './thread/thread-task.ts';
import { NotBegunError, ProcessorClosedError, ThreadStartError } from './thread-pool/errors.ts';
import type { Processor } from './thread-pool/processor.ts';

/** From this delivery on, a chunk may have crashed its process, and therefore runs isolated. */
const ISOLATION_DELIVERIES = 2;
/** Number of unfinished isolated starts after which a chunk counts as poison. */
const MAX_ISOLATED_STARTS = 2;
/** If the workload has limits, an isolated chunk begins no item after this time. */
const ISOLATED_LIMITED_MS = 20_000;
const SPLIT_PARTS = 32;

export interface ItemsRoundDeps extends AdoptDeps, Pick<CollectHereDeps, 'collectEnds'> {
  container: (name: string) => ContainerClient;
  /**
   * Reads a batch, once per slice while it is under way. A state in which chunks do not run is never older than the
   * reference.
   */
  readBatch: ReadBatchFacts;
  running: Pick<RunningChunks, 'run'>;
  processor: Pick<Processor, 'process' | 'threads'>;
  /** This process's share of a workload's limits; undefined if the workload has none. */
  permitsOf: (workload: string) => Permits | undefined;
  publish: Publish;
  registry: Registry;
  meter: Pick<Meter, 'measure' | 'record'>;
  visibilitySeconds: number;
  /** Receives each outcome that was certainly stored by this process. The body is valid only during the call. */
  onStored: (reference: Reference, outcome: Pick<ChunkOutcome, 'header' | 'body'>) => void;
}

type ChunkEntry = Entry<Reference>;
type AnyEntry = Entry<Reference | BlobReference>;

type Work = ChunkEntry & ReadFrame;

/** Creates the round of a slice on one queue. */
export function createItemsRound(deps: ItemsRoundDeps, address: QueueAddress, generation: number): Round {
  const queue = deps.queues(address.queue);
  return async (messages, isOver = () => false) => {
    const aside = { queue, queues: deps.queues, workload: address.workload.name };
    const entries = await readEntries(messages, (text) => readReferenceOn(address, text), aside);
    const lease = holdLease(queue, messages, deps.visibilitySeconds);
    try {
      const round: RoundContext = { address, generation, lease, isOver, startError: '' };
      const { value: dispositions, operations: own } = await deps.meter.measure(() => processAll(deps, entries, round));
      const operations = dispositions.map(handlerOperations).reduce(addOperations, own);
      const oldestAt = entries.filter(isOfChunk).reduce((oldest, entry) => earlier(oldest, entry.value.enqueuedAt), '');
      return { ...countWork(messages.length, dispositions, operations), oldestAt, startError: round.startError };
    } finally {
      lease.end();
    }
  };
}

const isOfChunk = (entry: AnyEntry): entry is ChunkEntry => !isBlobReference(entry.value);
const isOfBlob = (entry: AnyEntry): entry is Entry<BlobReference> => isBlobReference(entry.value);

interface RoundContext {
  address: QueueAddress;
  /** Generation of the drain. */
  generation: number;
  lease: Lease;
  /** Whether the slice's time is up. */
  isOver: () => boolean;
  /** Why no thread could start for a chunk of this round; empty at first. */
  startError: string;
}

/** The operation of the receive that began the round. */
const RECEIVED: Operations = { 'queue.get': 1 };

/**
 * Processes at most one entry more at a time than there are threads: entries that have not begun when the slice is over
 * can be returned.
 */
async function processAll(deps: ItemsRoundDeps, all: AnyEntry[], round: RoundContext): Promise<ChunkDisposition[]> {
  const { address, lease } = round;
  const entries = all.filter(isOfChunk);
  const reading = () => withFrames(deps, entries, round);
  const { value, operations } = await deps.meter.measure(reading);
  const { works, free } = value;
  const trace = commonTrace(entries.map(({ value: { traceparent } }) => traceparent));
  const publisher = createRoundPublisher(deps, address, {
    ...{ lease, trace, generation: round.generation },
    operations: addOperations(RECEIVED, operations),
  });
  const waiting: (Work | Entry<BlobReference>)[] = [...works, ...all.filter(isOfBlob)];
  const dispositions = await inParallel(waiting, deps.processor.threads + 1, async (work) => {
    if (isOfBlob(work)) {
      const disposition = await adopt(deps, work, round);
      // Its operations are counted in the row of the batch that it becomes, not in those of the other batches of the
      // round.
      await publisher.add(work, disposition, {});
      return disposition;
    }
    const { value: disposition, operations: own } = await deps.meter.measure(() =>
      inChunkSpan(work, address, () => processReference(deps, work, round)),
    );
    await publisher.add(work, disposition, own);
    return disposition;
  });
  free();
  await publisher.publish();
  return dispositions;
}

/**
 * Reads the frames of all references that will certainly run. A redelivered or resent one is read later (withOwnFrame).
 */
async function withFrames(
  { container }: ItemsRoundDeps,
  entries: ChunkEntry[],
  round: RoundContext,
): Promise<{ works: Work[]; free: () => void }> {
  const direct = round.isOver() ? [] : entries.filter((entry) => !mayBeDone(entry)).map((entry) => entry.value);
  const { frames, free } = await readFrames(container, direct);
  return { works: entries.map((entry) => ({ ...entry, ...frames.get(entry.value) })), free };
}

const mayBeDone = (entry: ChunkEntry): boolean => deliveries(entry) > 1 || entry.value.resent === true;

/** Counts the deliveries that may have begun the chunk: those that a living process returned do not count. */
const deliveries = ({ message, value }: ChunkEntry): number => message.dequeueCount - (value.returned ?? 0);

/**
 * Processes one reference. If it fails, it is logged once and returned to the queue, and the other references continue.
 */
async function processReference(deps: ItemsRoundDeps, work: Work, round: RoundContext): Promise<ChunkDisposition> {
  const { address, lease } = round;
  try {
    if (round.isOver() || round.startError !== '') return await returnUnstarted(work, lease);
    if (work.unread !== undefined) throw work.unread;
    return await decide(deps, work, lease);
  } catch (error) {
    if (error instanceof NotBegunError) return await returnUnstarted(work, lease);
    const { batch, chunk } = work.value;
    if (error instanceof ThreadStartError) reportStartError(round, error);
    else log.warn('chunk-deferred', { batch, chunk, queue: address.queue, error: toError(error) });
    const content = contentAfter(error, work);
    await returnMessage(deps, work, { address, lease, content, seconds: FAULT_RETRY_SECONDS });
    return 'returned';
  }
}

/**
 * Matches the folders of an absolute path or file URL: clients see the reason, and must not see the folders of the
 * machine.
 */
const FOLDERS = /(?:file:\/\/)?(?:\b[A-Za-z]:)?(?<![\w.])[\\/](?:[^\s\\/'":]+[\\/])+/g;
/** Maximum length of the reason that the gate shows, on one line. */
const MAX_REASON_CHARS = 500;

/**
 * Logs the error once per round, because its other chunks would fail with it too. The end of the wave writes it to the
 * gate.
 */
function reportStartError(round: RoundContext, error: ThreadStartError): void {
  if (round.startError !== '') return;
  round.startError = storableLine(error.message.replaceAll(FOLDERS, ''), MAX_REASON_CHARS);
  log.error('thread-start-failed', { queue: round.address.queue, error });
}

/** Returns an unstarted reference to the queue, where it is visible immediately. */
async function returnUnstarted(work: Work, lease: Lease): Promise<ChunkDisposition> {
  await lease.returnToQueue(work.message.messageId, 0, asReturned(work.value));
  return 'returned';
}

/**
 * Returns the reference as it was before a start that a failing service interrupted, which says nothing about the chunk.
 * It is marked as resent, because the outcome may be stored although the answer was lost.
 */
const interrupted = ({ value }: Work): Reference => ({ ...asReturned(value), resent: true });

/**
 * Returns the new content of a reference that failed with `error`; undefined (unchanged) if the chunk may have caused the
 * error.
 */
function contentAfter(error: unknown, work: Work): Reference | undefined {
  if (error instanceof ThreadStartError) return asReturned(work.value);
  return isOutage(error) || error instanceof ProcessorClosedError ? interrupted(work) : undefined;
}

async function decide(deps: ItemsRoundDeps, work: Work, lease: Lease): Promise<ChunkDisposition> {
  const batch = await deps.readBatch(work.value.batch, work.value.chunk);
  if (batch === undefined) return 'orphaned';
  const disposition = await decideIn(deps, work, { lease, batch });
  return typeof disposition === 'string' ? disposition : { ...disposition, pending: batch.pending, read: batch.read };
}

async function decideIn(
  deps: ItemsRoundDeps,
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
  deps: ItemsRoundDeps,
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

/**
 * Reads the frame of a resent or redelivered reference. It was not read with the others, because the chunk might be done.
 */
async function withOwnFrame({ container }: ItemsRoundDeps, work: Work): Promise<Work> {
  if (!mayBeDone(work)) return work;
  return { ...work, frame: await readRange(container(work.value.container), work.value) };
}

async function run(
  deps: ItemsRoundDeps,
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

const ending = (deps: ItemsRoundDeps, work: Work, kind: 'cancelled' | 'killed' | 'payloadMissing'): ChunkOutcome =>
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
async function store(deps: ItemsRoundDeps, work: Work, made: ChunkOutcome): Promise<ChunkDisposition> {
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
