/**
 * A round of a dequeue task on a queue of items. What becomes of each chunk is stored as one outcome blob. Then the round
 * sends one result message for all references (a long round sends one at most every five seconds) and one wake event for the
 * result queue. It deletes the references last. Small batches are collected immediately, without a result message
 * (collect-here.ts).
 */
import { type BlobReference, isBlobReference, type Reference } from '../contract/reference.ts';
import { forBatch } from '../cost/account.ts';
import type { Round } from '../drain/dequeue-task.ts';
import { UNLIMITED } from '../drain/slice-time.ts';
import { earlier } from '../gate/planning/slice-result.ts';
import { inParallel } from '../parallel.ts';
import { type Entry, readEntries } from '../queues/messages.ts';
import type { Services } from '../queues/services.ts';
import { commonTrace } from '../telemetry/trace.ts';
import type { QueueAddress } from '../workload/registry.ts';
import { type AdoptDeps, adopt, readReferenceOn } from './adopt.ts';
import { type ChunkEntry, mayBeDone, type ReferenceDeps, type Work } from './decide-chunk.ts';
import { readFrames, UNREAD } from './fetch-frames.ts';
import { holdLease } from './lease.ts';
import { processReference, type ReferenceRound } from './process-reference.ts';
import type { CollectHereDeps } from './publish/collect-here.ts';
import { type ChunkDisposition, countWork } from './publish/publish-results.ts';
import { createRoundPublisher } from './publish/round-publisher.ts';
import type { Processor } from './threads/processor.ts';

export interface ItemsRoundDeps
  extends ReferenceDeps,
    AdoptDeps,
    Pick<CollectHereDeps, 'collectOutcomes'>,
    Pick<Services, 'publish' | 'registry' | 'visibilitySeconds'> {
  processor: Pick<Processor, 'process' | 'threads'>;
}

type AnyEntry = Entry<Reference | BlobReference>;

/** Creates the round of a slice on one queue. */
export function createItemsRound(deps: ItemsRoundDeps, address: QueueAddress): Round {
  const queue = deps.queues(address.queue);
  return async (messages, time = UNLIMITED) => {
    const aside = { queue, queues: deps.queues, workload: address.workload.name };
    const entries = await readEntries(messages, (text) => readReferenceOn(address, text), aside);
    const lease = holdLease(queue, messages, deps.visibilitySeconds);
    try {
      const round: ReferenceRound = { address, lease, time, startError: '' };
      const dispositions = await processAll(deps, entries, round);
      const oldestAt = entries.filter(isOfChunk).reduce((oldest, entry) => earlier(oldest, entry.value.enqueuedAt), '');
      return { ...countWork(messages.length, dispositions), oldestAt, startError: round.startError };
    } finally {
      lease.end();
    }
  };
}

const isOfChunk = (entry: AnyEntry): entry is ChunkEntry => !isBlobReference(entry.value);
const isOfBlob = (entry: AnyEntry): entry is Entry<BlobReference> => isBlobReference(entry.value);

/** Processes one entry more at a time than there are threads: what has not begun in the slice can be returned. */
async function processAll(deps: ItemsRoundDeps, all: AnyEntry[], round: ReferenceRound): Promise<ChunkDisposition[]> {
  const { address, lease } = round;
  const entries = all.filter(isOfChunk);
  const { works, free } = await withFrames(deps, entries, round);
  const trace = commonTrace(entries.map(({ value: { traceparent } }) => traceparent));
  const publisher = createRoundPublisher(deps, address, { lease, trace });
  const waiting: (Work | Entry<BlobReference>)[] = [...works, ...all.filter(isOfBlob)];
  const processChunk = (work: Work): Promise<ChunkDisposition> =>
    forBatch(work.value.batch, () => processReference(deps, work, round));
  const processOne = async (work: Work | Entry<BlobReference>): Promise<ChunkDisposition> => {
    const disposition = isOfBlob(work) ? await adopt(deps, work, round) : await processChunk(work);
    await publisher.add(work, disposition);
    return disposition;
  };
  try {
    const dispositions = await inParallel(waiting, deps.processor.threads + 1, processOne);
    free();
    await publisher.publish();
    return dispositions;
  } finally {
    publisher.stop();
  }
}

/** Reads the frames of all references that will certainly run. A redelivered or resent one is read later (knownFrame). */
async function withFrames(
  { container }: ItemsRoundDeps,
  entries: ChunkEntry[],
  round: ReferenceRound,
): Promise<{ works: Work[]; free: () => void }> {
  const direct = round.time.isOver() ? [] : entries.filter((entry) => !mayBeDone(entry)).map((entry) => entry.value);
  const { frames, free } = await readFrames(container, direct);
  return { works: entries.map((entry) => ({ ...entry, frame: frames.get(entry.value) ?? UNREAD })), free };
}
