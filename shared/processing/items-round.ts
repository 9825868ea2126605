/**
 * A round of a dequeue task on items: what became of each received reference is one outcome blob; then one result
 * message for all (of a long round one every five seconds), one wake of the result queue, and only then are the references
 * deleted.
 */
import type { ContainerClient } from '@azure/storage-blob';
import { isFinished } from '../batches/batch-row.ts';
import { CONTAINERS } from '../contract/names.ts';
import { addOperations, type Operations } from '../contract/operations.ts';
import type { OutcomeHeader } from '../contract/outcome.ts';
import { type FinishedChunk, type Reference, readReference } from '../contract/reference.ts';
import { storableLine } from '../contract/text.ts';
import type { Meter } from '../cost/meter.ts';
import type { Round } from '../drain/activities.ts';
import { earlier } from '../drain/slice-result.ts';
import { isOutage, toError } from '../errors.ts';
import type { Permits } from '../limits/permits.ts';
import { inParallel } from '../parallel.ts';
import { log } from '../telemetry/log.ts';
import { commonTrace } from '../telemetry/trace.ts';
import type { GateDeps } from '../wake/gate.ts';
import { recordDue } from '../wake/gate.ts';
import { type Entry, type Queue, readEntries } from '../wake/messages.ts';
import type { Publish } from '../wake/publish.ts';
import type { QueueAddress, Registry } from '../workload/registry.ts';
import type { BatchFacts, ReadBatchFacts } from './batch-states.ts';
import { inChunkSpan } from './chunk-span.ts';
import { frameOf, planReads, type Range, readRange } from './fetch-frames.ts';
import { holdLease, type Lease } from './lease.ts';
import { endWholeChunk, splitChunk } from './outcome/endings.ts';
import { putOutcome, readOutcomeHeader } from './outcome/outcome-store.ts';
import { type ChunkDisposition, countWork } from './publish-results.ts';
import { createRoundPublisher } from './round-publisher.ts';
import type { RunningChunks } from './running-chunks.ts';
import type { SharedLock } from './shared-lock.ts';
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
/** Wait before a reference is tried again whose processing met a fault of a service. */
const FAULT_RETRY_SECONDS = 5;

export interface ItemsRoundDeps {
  queues: (name: string) => Queue;
  container: (name: string) => ContainerClient;
  /** Reads a batch, once per slice while work goes on; a state in which they are not run is never older than their references. */
  readBatch: ReadBatchFacts;
  running: Pick<RunningChunks, 'run'>;
  processor: Pick<Processor, 'process' | 'threads'>;
  /** This process's share of a workload's limits; undefined when it has none. */
  permitsOf: (workload: string) => Permits | undefined;
  lock: SharedLock;
  publish: Publish;
  registry: Registry;
  gate: Pick<GateDeps, 'table' | 'now'>;
  meter: Pick<Meter, 'measure'>;
  visibilitySeconds: number;
}

/** `unread` is the fault that kept the frame from being read. */
type Work = Entry<Reference> & { frame?: Buffer | undefined; unread?: unknown };

/** Makes the round of a slice on one queue. */
export function createItemsRound(deps: ItemsRoundDeps, address: QueueAddress): Round {
  const queue = deps.queues(address.queue);
  return async (messages, isOver = () => false) => {
    const aside = { queue, queues: deps.queues, workload: address.workload.name };
    const entries = await readEntries(messages, readReference, aside);
    const lease = holdLease(queue, messages, deps.visibilitySeconds);
    try {
      const round: RoundContext = { address, lease, isOver, startError: '' };
      const { value: dispositions, operations: own } = await deps.meter.measure(() => processAll(deps, entries, round));
      const operations = dispositions.map(handlerOperations).reduce(addOperations, own);
      const oldestAt = entries.reduce((oldest, entry) => earlier(oldest, entry.value.enqueuedAt), '');
      return { ...countWork(messages.length, dispositions, operations), oldestAt, startError: round.startError };
    } finally {
      lease.end();
    }
  };
}

/** What the handlers did in their threads, which the meter of this one does not see. */
const handlerOperations = (disposition: ChunkDisposition): Operations =>
  typeof disposition === 'string' ? {} : (disposition.outcome?.operations ?? {});

interface RoundContext {
  address: QueueAddress;
  lease: Lease;
  /** Whether the slice's time is up. */
  isOver: () => boolean;
  /** Why no thread could begin on a chunk of this round; empty at first. */
  startError: string;
}

/** The receive that began the round. */
const RECEIVED: Operations = { 'queue.get': 1 };

/** No more at once than there are threads to run them: what has not begun when the time is up can be given back. */
async function processAll(
  deps: ItemsRoundDeps,
  entries: Entry<Reference>[],
  round: RoundContext,
): Promise<ChunkDisposition[]> {
  const { address, lease } = round;
  const reading = () => (round.isOver() ? Promise.resolve<Work[]>(entries) : withFrames(deps, entries));
  const { value: works, operations } = await deps.meter.measure(reading);
  const trace = commonTrace(entries.map(({ value: { traceparent } }) => traceparent));
  const publisher = createRoundPublisher(deps, address, {
    ...{ lease, trace },
    operations: addOperations(RECEIVED, operations),
  });
  const dispositions = await inParallel(works, deps.processor.threads + 1, async (work) => {
    const { value: disposition, operations: own } = await deps.meter.measure(() =>
      inChunkSpan(work, address, () => processReference(deps, work, round)),
    );
    await publisher.add(work, disposition, addOperations(own, handlerOperations(disposition)));
    return disposition;
  });
  await publisher.publish();
  return dispositions;
}

/** Reads the frames of all that is surely going to run; redelivered ones read their own, when they run isolated. */
async function withFrames(deps: ItemsRoundDeps, entries: Entry<Reference>[]): Promise<Work[]> {
  const read = new Map<Reference, Pick<Work, 'frame' | 'unread'>>();
  const direct = entries.filter((entry) => !mayBeDone(entry)).map((entry) => entry.value);
  await Promise.all(
    planReads(direct).map(async (range) => {
      const { bytes, unread } = await tryRead(deps, range);
      for (const reference of range.references)
        read.set(reference, { frame: bytes && frameOf(bytes, range, reference), unread });
    }),
  );
  return entries.map((entry) => ({ ...entry, ...read.get(entry.value) }));
}

/** A read that fails is the fault of each reference in it, and each is given back by itself. */
async function tryRead(deps: ItemsRoundDeps, range: Range): Promise<{ bytes?: Buffer | undefined; unread?: unknown }> {
  try {
    return { bytes: await readRange(deps.container(range.container), range) };
  } catch (error) {
    return { unread: toError(error) };
  }
}

const mayBeDone = (entry: Entry<Reference>): boolean => deliveries(entry) > 1 || entry.value.resent === true;

/** Deliveries that may have begun to run it: those given back by a living process do not count. */
const deliveries = ({ message, value }: Entry<Reference>): number => message.dequeueCount - (value.returned ?? 0);

/** One reference's fault is its own: it is given back, logged once, and its neighbours go on. */
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
    await returnToQueue(deps, work, { address, lease, content: contentAfter(error, work) });
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
  await lease.returnToQueue(work.message.messageId, 0, unstarted(work));
  return 'returned';
}

/** The reference as it was, with a mark that this delivery is no sign of a death. */
const unstarted = ({ value }: Work): Reference => returned(value);

const returned = (reference: Reference): Reference => ({ ...reference, returned: (reference.returned ?? 0) + 1 });

/**
 * As it was before a start that a failing service interrupted, which says nothing about the chunk; but its outcome may
 * be stored all the same, the answer alone being lost.
 */
const interrupted = ({ value }: Work): Reference => ({ ...returned(value), resent: true });

/** What is written into a reference that met `error`: nothing, if the error may be of its own making. */
function contentAfter(error: unknown, work: Work): Reference | undefined {
  if (error instanceof ThreadStartError) return unstarted(work);
  return isOutage(error) || error instanceof ProcessorClosedError ? interrupted(work) : undefined;
}

interface Deferred extends Pick<RoundContext, 'address' | 'lease'> {
  content: Reference | undefined;
}

async function returnToQueue(
  deps: ItemsRoundDeps,
  { message }: Work,
  { address, lease, content }: Deferred,
): Promise<void> {
  try {
    await lease.returnToQueue(message.messageId, FAULT_RETRY_SECONDS, content);
    await recordDue(deps.gate.table, address.queue, [
      new Date(deps.gate.now() + FAULT_RETRY_SECONDS * 1000).toISOString(),
    ]);
  } catch (error) {
    // Its visibility timeout will bring it back, only later.
    log.warn('message-not-returned', { queue: address.queue, error: toError(error) });
  }
}

async function decide(deps: ItemsRoundDeps, work: Work, lease: Lease): Promise<ChunkDisposition> {
  const { value: reference } = work;
  const results = deps.container(CONTAINERS.results);
  const batch = await deps.readBatch(reference.batch);
  if (batch === undefined) return 'orphaned';
  // Nothing of it is pending: a repeat. What it names may be on its way out with the batch, and must not come back.
  if (isFinished(batch.state)) return 'duplicate';
  if (mayBeDone(work)) {
    const stored = await readOutcomeHeader(results, reference);
    if (stored) return toDisposition(reference, stored);
  }
  // Its row stays pending, and gets a new reference from the resume that is to come, or has got it from the last one.
  if (batch.state === 'paused' || (reference.resumes ?? 0) < (batch.resumes ?? 0)) return 'paused';
  if (batch.state === 'cancelling') return store(deps, work, ending(deps, work, 'cancelled'));
  if (deliveries(work) < ISOLATION_DELIVERIES) {
    return deps.lock.shared(async () => run(deps, await withOwnFrame(deps, work), batch));
  }
  return deps.lock.exclusive(() => runIsolated(deps, work, { lease, batch }));
}

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
async function withOwnFrame(deps: ItemsRoundDeps, work: Work): Promise<Work> {
  if (!mayBeDone(work)) return work;
  const [range] = planReads([work.value]);
  return { ...work, frame: range && (await readRange(deps.container(range.container), range)) };
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
async function store(deps: ItemsRoundDeps, work: Work, outcome: ChunkOutcome): Promise<ChunkDisposition> {
  const { header, first } = await putOutcome(deps.container(CONTAINERS.results), work.value, outcome);
  return first ? { ...toDisposition(work.value, header), outcome } : toDisposition(work.value, header);
}

const toDisposition = ({ batch, chunk }: Reference, header: OutcomeHeader): { end: FinishedChunk } => ({
  end: { batch, chunk, header },
});
