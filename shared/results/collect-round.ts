/**
 * A round of the one dequeue task on a result queue: each batch's ends go into the ledger in one transaction; then the
 * references that follow from them, then the end of the batch if nothing is pending and that transaction has not ended it, and
 * last the messages are deleted.
 */
import type { DequeuedMessageItem } from '@azure/storage-queue';
import { applyEnds } from '../batches/apply/apply-ends.ts';
import type { Drain } from '../batches/apply/charge.ts';
import type { Applied, ChunkEnd } from '../batches/apply/plan-apply.ts';
import type { ApplyRead } from '../batches/apply/read-for-apply.ts';
import type { BatchRow } from '../batches/batch-row.ts';
import { isFinished } from '../batches/batch-row.ts';
import type { ChunkRow } from '../batches/chunk-row.ts';
import { MAX_CHUNK_ROWS_PER_TRANSACTION } from '../batches/ledger.ts';
import { digestOf } from '../contract/frame.ts';
import { type FinishedChunk, type ResultMessage, readResult } from '../contract/reference.ts';
import { timesOperations } from '../cost/counts.ts';
import { emptyCounts, type WorkCounts } from '../drain/slice-result.ts';
import { isOutage, toError } from '../errors.ts';
import { inParallel } from '../parallel.ts';
import { holdLease } from '../processing/lease.ts';
import { FAULT_RETRY_SECONDS, returnMessage } from '../processing/return-message.ts';
import { log } from '../telemetry/log.ts';
import { countChunk } from '../telemetry/metrics.ts';
import { commonTrace, type SpanOptions, withSpan } from '../telemetry/trace.ts';
import { enqueue } from '../wake/enqueue.ts';
import {
  publishDeadLetters,
  publishPaused,
  publishProgress,
  publishResultsReady,
  publishRisk,
} from '../wake/events/batch-events.ts';
import { type Entry, readEntries } from '../wake/messages.ts';
import type { QueueAddress } from '../workload/registry.ts';
import { announce, countEnd, createEnding, type FinalizeDeps, finalize } from './finalize.ts';

/** Batches collected at once; each has a partition of its own, so they do not get in each other's way. */
const BATCHES_AT_ONCE = 8;

/** Makes the round of a slice on one result queue. */
export function createCollectRound(
  deps: FinalizeDeps,
  address: QueueAddress,
  generation: number,
): (messages: DequeuedMessageItem[]) => Promise<WorkCounts> {
  const queue = deps.queues(address.queue);
  return async (messages) => {
    const aside = { queue, queues: deps.queues, workload: address.workload.name };
    const entries = await readEntries(messages, readResult, aside);
    const lease = holdLease(queue, messages, deps.visibilitySeconds);
    try {
      const collector = { queue: address.queue, generation };
      const { failed, deferred, chunks } = await collectAll(deps, entries, collector);
      const again = entries.filter(({ value }) => value.chunks.some(({ batch }) => deferred.has(batch)));
      const soon = { address, lease, content: undefined, seconds: FAULT_RETRY_SECONDS };
      await Promise.all(again.map((entry) => returnMessage(deps, entry, soon)));
      const over = entries.filter(({ value }) => value.chunks.every(({ batch }) => !failed.has(batch)));
      await Promise.all(over.map(({ message }) => lease.finish(message.messageId)));
      return { ...emptyCounts(), received: messages.length, done: over.length, chunks };
    } finally {
      lease.end();
    }
  };
}

/**
 * `failed`: ids of the batches that met a fault; their messages stay, and come again. `deferred`: those of them that met an
 * outage, which is likely to pass soon. `chunks`: those charged for it.
 */
async function collectAll(
  deps: FinalizeDeps,
  entries: Entry<ResultMessage>[],
  collector: Drain,
): Promise<{ failed: Set<string>; deferred: Set<string>; chunks: number }> {
  const failed = new Set<string>();
  const deferred = new Set<string>();
  let chunks = 0;
  await inParallel([...byBatch(entries)], BATCHES_AT_ONCE, async ([batch, work]) => {
    try {
      // On its own, so that what is done for a batch is charged to that one.
      await deps.meter.measure(() =>
        collectBatch(deps, batch, {
          ...work,
          collector,
          onCharged: (ends) => {
            chunks += ends;
          },
        }),
      );
    } catch (error) {
      failed.add(batch);
      if (isOutage(error)) {
        deferred.add(batch);
        log.warn('collect-deferred', { batch, error: toError(error) });
      } else log.error('collect-failed', { batch, error: toError(error) });
    }
  });
  return { failed, deferred, chunks };
}

interface BatchWork {
  ends: ChunkEnd[];
  /** The drain that collects them; default none. */
  collector?: Drain;
  /** Called with how many ends the batch was charged for, with each transaction. */
  onCharged?: (ends: number) => void;
  /** Of the messages, where all chunks of each are of one trace; else the batch row's own counts. */
  traceparents?: (string | undefined)[];
  /** The rows as they were read before, if they were; written only if they are so still. */
  read?: ApplyRead | undefined;
}

/** Groups ends by batch; a message's operations are shared out over its chunks. */
function byBatch(entries: Entry<ResultMessage>[]): Map<string, BatchWork> {
  const works = new Map<string, BatchWork>();
  // One that was put twice may be received twice at once.
  const each = new Map(entries.map((entry) => [nameOf(entry.message), entry]));
  for (const entry of each.values()) {
    for (const end of entry.value.chunks) addEnd(works, end, entry);
  }
  return works;
}

function addEnd(works: Map<string, BatchWork>, end: FinishedChunk, { message, value }: Entry<ResultMessage>): void {
  const work = works.get(end.batch) ?? { ends: [], traceparents: [] };
  works.set(end.batch, work);
  work.traceparents?.push(value.traceparent);
  const { queue, generation, operations, chunks } = value;
  work.ends.push({
    ...{ chunk: end.chunk, header: end.header, message: nameOf(message) },
    operations: timesOperations(operations, 1 / chunks.length),
    drain: generation === undefined ? undefined : { queue, generation },
  });
}

/** Of its text, not the service's id: a put whose answer was lost is repeated, and its two messages are charged as one. */
const nameOf = ({ messageText }: DequeuedMessageItem): string => digestOf(Buffer.from(messageText)).slice(0, 32);

/** Applies a batch's ends, follows up, and ends the batch when nothing is pending; also for a message of repeats alone. */
export async function collectBatch(deps: FinalizeDeps, id: string, work: BatchWork): Promise<void> {
  const { ends, collector, onCharged } = work;
  const trace = commonTrace(work.traceparents ?? []);
  const at = new Date(deps.gate.now()).toISOString();
  const haltRule = (workload: string) => deps.registry.workload(workload)?.halt;
  const all: Applied[] = [];
  const end = createEnding(deps);
  for (const group of groupsByRows(ends)) {
    const startMs = Date.now();
    const applied = await applyEnds(deps.table, id, group, {
      at,
      meter: deps.meter,
      collector,
      haltRule,
      end,
      known: all.length === 0 ? work.read : undefined,
    });
    if (!applied) return log.info('orphaned-result', { batch: id });
    all.push(applied);
    if (applied.isEnd) countEnd(applied.batch);
    onCharged?.(applied.charged);
    await withSpan('sluice.collect', spanOf(applied.batch, { ends: group, trace, startMs }), () =>
      followUp(deps, applied, group),
    );
  }
  const last = all.at(-1);
  if (!last) return;
  await publishAll(deps, last.batch, all);
  await endIfDone(deps, last);
}

/**
 * Publishes the events that follow from the ends of a delivery, with the batch's state after them. Every delivery
 * publishes the same, so that the crash of a process between the transaction and the deletion of the messages loses no
 * event.
 */
async function publishAll(deps: FinalizeDeps, batch: BatchRow, all: Applied[]): Promise<void> {
  const isHalt = !isEnding(batch) && all.some((applied) => applied.isHalt);
  // First: nobody but an operator goes on with such a batch, and the alert must not wait for the topic.
  if (isHalt) log.warn('batch-paused', { batch: batch.id, workload: batch.workload, ...batch.paused });
  if (deps.registry.workload(batch.workload)?.resultsReady === true)
    for (const applied of all) await publishResultsReady(deps, batch, applied.own);
  const own = new Map(all.flatMap((applied) => applied.own.map((end) => [end.chunk, end])));
  await publishDeadLetters(deps, batch, [...own.values()]);
  if (!isEnding(batch) && all.some(({ isProgress }) => isProgress)) await publishProgress(deps, batch);
  const risk = all.findLast((applied) => applied.risk !== undefined)?.risk;
  if (risk !== undefined && !isEnding(batch)) await publishRisk(deps, batch, risk);
  if (isHalt) await publishPaused(deps, batch);
}

/** What is known of the batch only once its row is read, so that the span gets its start. */
function spanOf(
  batch: BatchRow,
  { ends, trace, startMs }: { ends: ChunkEnd[]; trace: string | undefined; startMs: number },
): SpanOptions {
  const attributes = { 'sluice.batch': batch.id, 'sluice.chunks': ends.length };
  return { parent: trace ?? batch.traceparent, kind: 'consumer', attributes, startMs };
}

/** What ends now waits for nobody. */
const isEnding = ({ chunksDone, chunksTotal }: BatchRow): boolean => chunksDone === chunksTotal;

/** References of what follows in a paused batch are put when it is resumed: its rows are pending until then. */
async function followUp(deps: FinalizeDeps, applied: Applied, ends: ChunkEnd[]): Promise<void> {
  const { batch, followUps, repeated, fresh } = applied;
  const openedMs = Date.parse(batch.openedAt);
  for (const { chunk, header } of ends)
    if (fresh.has(chunk)) countChunk(batch, header.counts, (deps.gate.now() - openedMs) / 1000);
  if (batch.state === 'paused') return;
  const timed = (rows: ChunkRow[]): ChunkRow[] => (batch.state === 'cancelling' ? rows.map(atOnce) : rows);
  await enqueue(deps, batch, timed(followUps));
  // Most have their reference already, and may have run by it.
  await enqueue(deps, batch, timed(repeated), { resent: true });
}

async function endIfDone(deps: FinalizeDeps, { batch, etag, allRows }: Applied): Promise<void> {
  if (isFinished(batch.state)) await announce(deps, batch, etag);
  else if (isEnding(batch)) await finalize(deps, batch.id, { batch: { row: batch, etag }, rows: allRows });
}

/**
 * What follows in a batch that is being cancelled is met by a worker at once, and cancelled: nobody waits for a retry's
 * due time.
 */
const atOnce = ({ dueAt: _dueAt, ...row }: ChunkRow): ChunkRow => row;

/** Cuts ends into runs that fit a transaction with the rows that they insert. Pure. */
export function groupsByRows(ends: readonly ChunkEnd[]): ChunkEnd[][] {
  const groups: ChunkEnd[][] = [];
  let room = 0;
  for (const end of ends) {
    const rows = 1 + (end.header.retries ? 1 : 0) + (end.header.parts?.length ?? 0);
    if (rows > room) {
      groups.push([]);
      room = MAX_CHUNK_ROWS_PER_TRANSACTION;
    }
    room -= rows;
    groups.at(-1)?.push(end);
  }
  return groups;
}
