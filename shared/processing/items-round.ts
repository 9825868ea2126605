/**
 * A round of a dequeue task on items: what became of each received reference is one outcome blob; then one result
 * message for all (of a long round one every five seconds), one wake of the result queue, and only then are the references
 * deleted. Small batches are collected at once, without a result message (collect-here.ts).
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

/** Deliveries from which on a chunk may have killed its process, and runs isolated. */
const ISOLATION_DELIVERIES = 2;
/** Isolated starts without an end after which the chunk counts as poison. */
const MAX_ISOLATED_STARTS = 2;
/** No item of an isolated chunk is begun after this long where its workload has limits. */
const ISOLATED_LIMITED_MS = 20_000;
const SPLIT_PARTS = 32;

export interface ItemsRoundDeps extends AdoptDeps, Pick<CollectHereDeps, 'collectEnds'> {
  container: (name: string) => ContainerClient;
  /**
   * Reads a batch, once per slice while work goes on; a state in which they are not run is never older than their
   * references.
   */
  readBatch: ReadBatchFacts;
  running: Pick<RunningChunks, 'run'>;
  processor: Pick<Processor, 'process' | 'threads'>;
  /** This process's share of a workload's limits; undefined when it has none. */
  permitsOf: (workload: string) => Permits | undefined;
  publish: Publish;
  registry: Registry;
  meter: Pick<Meter, 'measure' | 'record'>;
  visibilitySeconds: number;
  /** Is given each outcome that is surely this process's own, as stored. The body is valid during the call only. */
  onStored: (reference: Reference, outcome: Pick<ChunkOutcome, 'header' | 'body'>) => void;
}

type ChunkEntry = Entry<Reference>;
type AnyEntry = Entry<Reference | BlobReference>;

type Work = ChunkEntry & ReadFrame;

/** Makes the round of a slice on one queue. */
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
  /** The drain. */
  generation: number;
  lease: Lease;
  /** Whether the slice's time is up. */
  isOver: () => boolean;
  /** Why no thread could begin on a chunk of this round; empty at first. */
  startError: string;
}

/** The receive that began the round. */
const RECEIVED: Operations = { 'queue.get': 1 };

/** No more at once than there are threads to run them: what has not begun when the time is up can be returned. */
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
      // Its operations are counted in the row of its own batch; no other batch of the round pays for them.
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

/** Reads the frames of all that is surely going to run; redelivered ones read their own, when they run isolated. */
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

/** Deliveries that may have begun to run it: those returned by a living process do not count. */
const deliveries = ({ message, value }: ChunkEntry): number => message.dequeueCount - (value.returned ?? 0);

/** One reference's fault is its own: it is returned, logged once, and its neighbours go on. */
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

/** The folders of an absolute path or file URL: clients see the reason, and the machine's are not their business. */
const FOLDERS = /(?:file:\/\/)?(?:\b[A-Za-z]:)?(?<![\w.])[\\/](?:[^\s\\/'":]+[\\/])+/g;
/** Longest reason that the gate shows, on one line. */
const MAX_REASON_CHARS = 500;

/** Once per round: its other chunks would meet the same error. The end of the wave shows it on the gate. */
function reportStartError(round: RoundContext, error: ThreadStartError): void {
  if (round.startError !== '') return;
  round.startError = storableLine(error.message.replaceAll(FOLDERS, ''), MAX_REASON_CHARS);
  log.error('thread-start-failed', { queue: round.address.queue, error });
}

/** Unstarted, and visible to others at once. */
async function returnUnstarted(work: Work, lease: Lease): Promise<ChunkDisposition> {
  await lease.returnToQueue(work.message.messageId, 0, asReturned(work.value));
  return 'returned';
}

/**
 * As it was before a start that a failing service interrupted, which says nothing about the chunk; but its outcome may
 * be stored anyway, the answer alone being lost.
 */
const interrupted = ({ value }: Work): Reference => ({ ...asReturned(value), resent: true });

/** What is written into a reference that met `error`: nothing, if the error may be of its own making. */
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
  // Nothing of it is pending: a repeat. What it names may be on its way out with the batch, and must not come back. But who
  // had the same message before may have died while it collected the batch (collect-here.ts): what is left is done now.
  const isRepeat = isFinished(batch.state);
  if (isRepeat && work.message.dequeueCount === 1) return repeatOf(batch);
  if (mayBeDone(work)) {
    const stored = await readOutcomeHeader(deps.container(CONTAINERS.results), reference);
    if (stored) return toDisposition(reference, stored);
  }
  if (isRepeat) return repeatOf(batch);
  // Its row stays pending, and gets a new reference from the resume that is to come, or has got it from the last one.
  if (batch.state === 'paused' || (reference.resumes ?? 0) < (batch.resumes ?? 0)) return 'paused';
  if (batch.state === 'cancelling') return store(deps, work, ending(deps, work, 'cancelled'));
  if (deliveries(work) < ISOLATION_DELIVERIES) {
    return deps.lock.shared(async () => run(deps, await withOwnFrame(deps, work), batch));
  }
  return deps.lock.exclusive(() => runIsolated(deps, work, { lease, batch }));
}

const repeatOf = ({ state }: BatchFacts): ChunkDisposition => (state === 'cancelled' ? 'cancelled' : 'duplicate');

/**
 * A chunk that was delivered before runs isolated, after its start was counted in its message; after two such starts
 * without an end it is split or killed.
 */
async function runIsolated(
  deps: ItemsRoundDeps,
  work: Work,
  { lease, batch }: { lease: Lease; batch: BatchFacts },
): Promise<ChunkDisposition> {
  const { message, value: reference } = work;
  const starts = reference.starts ?? 0;
  // It has waited for its turn, perhaps for a start of the same chunk that had lost its lease.
  const stored = await readOutcomeHeader(deps.container(CONTAINERS.results), reference);
  if (stored) return toDisposition(reference, stored);
  if (starts >= MAX_ISOLATED_STARTS) {
    const items = reference.take ?? reference.items;
    if (items > 1) return store(deps, work, splitChunk(reference, SPLIT_PARTS));
    // The dead letter keeps its item, and of a retries frame its index.
    return store(deps, work, ending(deps, await withOwnFrame(deps, work), 'killed'));
  }
  // Before the mark: storage that fails is no sign of a death.
  const framed = await withOwnFrame(deps, work);
  if (!(await lease.rewrite(message.messageId, { ...reference, starts: starts + 1 }))) return 'returned';
  return run(deps, framed, batch, { isIsolated: true });
}

/** The frame of a reference that was not read with the others, since it might have been done: resent or redelivered. */
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
  // Others must not stand still because this one waits for its limits: the rest of it is passed on.
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
  killed: 'The process died whenever this item ran, also alone.',
  payloadMissing: 'The blob that holds this item is not there, or ends before it.',
};

/**
 * Also when the lease was lost meanwhile: whoever has the message now finds this outcome, or has stored another one, which
 * then stands. Thrown away, the work of a system that is too slow for its leases would never come to an end.
 */
async function store(deps: ItemsRoundDeps, work: Work, made: ChunkOutcome): Promise<ChunkDisposition> {
  // A round may wait for long: it keeps what it reports, and not the bytes.
  const { body, ...outcome } = made;
  const { header, first, isSent } = await putOutcome(deps.container(CONTAINERS.results), work.value, made);
  if (first) deps.onStored(work.value, { header, body });
  if (isSent) freeBytes(body);
  return first ? { ...toDisposition(work.value, header), outcome } : toDisposition(work.value, header);
}

const toDisposition = ({ batch, chunk }: Reference, header: OutcomeHeader): { end: FinishedChunk } => ({
  end: { batch, chunk, header },
});
