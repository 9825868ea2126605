/**
 * Cancels batches: finished items keep their results, the rest is cancelled. The state is changed first. From then on
 * every worker cancels each chunk of the batch that it receives, and stops one that it is running. This file cancels
 * the pending chunks that no worker can be running. As for every ending, the outcome blob decides.
 */
import { type BatchRow, isFinished, pendingItems } from '../batches/batch-row.ts';
import type { ChunkRow } from '../batches/chunk-row.ts';
import { chunkRows, insertChunks } from '../batches/ledger.ts';
import { endingPause } from '../batches/pause.ts';
import { CONTAINERS, resultsQueueName } from '../contract/names.ts';
import { addOperations } from '../contract/operations.ts';
import type { FinishedChunk } from '../contract/reference.ts';
import { Problem } from '../errors.ts';
import { inParallel } from '../parallel.ts';
import { endWholeChunk } from '../processing/outcome/endings.ts';
import { putOutcome } from '../processing/outcome/outcome-store.ts';
import { putResults } from '../processing/publish/put-results.ts';
import { type FinalizeDeps, finalize, requireWorkload } from '../results/finalize.ts';
import { log } from '../telemetry/log.ts';
import { queueOf } from '../wake/enqueue.ts';
import { NOTHING_PUT, type WorkPut } from '../wake/events/publish.ts';
import { readGate } from '../wake/gate/gate.ts';
import type { GateRow } from '../wake/gate/gate-row.ts';
import { leaveTo } from '../wake/gate/spending.ts';
import type { Workload } from '../workload/define.ts';
import { changeFor } from './change-batch.ts';
import { rowsOfRevision } from './redrive/revision-rows.ts';

/**
 * Maximum number of outcomes that one request writes; the workers, a repeated request and the sweep cancel the rest of
 * a larger batch.
 */
export const MAX_CHUNKS = 2_000;
/** Maximum number of rows that one request reads: twenty operations. */
const MAX_ROWS = 20_000;
/** Number of outcomes that are written before their results are published; a crash in between repeats their work. */
const CHUNKS_PER_REPORT = 100;
const PUTS_AT_ONCE = 16;
/**
 * A retry that is due later than this cannot be received by a slice that read the batch before it was cancelled: a
 * slice runs for at most two minutes (settings.ts: SLUICE_SLICE_SECONDS).
 */
const LONGEST_SLICE_MS = 120_000;

/** Chunks, and the items in them. */
export interface ChunkTotals {
  chunks: number;
  items: number;
}

/** A batch that is being cancelled. */
export interface Cancelling {
  row: BatchRow;
  /** Pending chunks that this call has ended: cancelled, unless they had an outcome. */
  ended: ChunkTotals;
  /** Other chunks that were pending when the batch was read: a worker runs or will receive them, or their result is under way. */
  left: ChunkTotals;
}

const NOTHING: ChunkTotals = { chunks: 0, items: 0 };

/**
 * Cancels a batch, also a paused one. A repeated call continues; for a batch that is already cancelled, it returns the
 * row. If nothing is left to cancel, the batch becomes completed: its state shows what happened to the items, not what
 * was requested.
 * @param limit maximum number of chunks to end
 * @throws Problem 'not-found'; 'conflict' if the batch has finished in another way, or its workload is no longer
 * deployed.
 */
export async function cancelBatch(deps: FinalizeDeps, id: string, limit = MAX_CHUNKS): Promise<Cancelling> {
  const row = await markCancelling(deps, id);
  if (row.state === 'cancelled') return { row, ended: NOTHING, left: NOTHING };
  if (isFinished(row.state)) throw new Problem('conflict', `Batch ${id} is ${row.state}; there is nothing to cancel.`);
  const ended = await cancelPending(deps, row, limit);
  leaveTo(resultsQueueName(row.workload), deps);
  const chunks = row.chunksTotal - row.chunksDone - ended.chunks;
  // The row may have been older than the chunk rows.
  const left = { chunks: Math.max(0, chunks), items: Math.max(0, pendingItems(row) - ended.items) };
  return { row, ended, left };
}

/**
 * Moves an unfinished batch to `cancelling`. A batch in `accepting` first gets all its rows: the intake of a cancelling
 * batch is never completed, and a missing row would keep it open indefinitely.
 */
async function markCancelling(deps: FinalizeDeps, id: string): Promise<BatchRow> {
  const { before, row } = await changeFor(deps, id, async (row) => {
    if (isFinished(row.state)) return row;
    // Checked before anything is written: without the workload the cancel cannot be carried out, and the batch could be
    // neither resumed nor cancelled.
    requireWorkload(deps, row);
    if (row.state === 'cancelling') return row;
    if (row.state === 'accepting') await insertChunks(deps.table, await rowsOfRevision(deps, row));
    const cancellingAt = new Date(deps.gate.now()).toISOString();
    return { ...row, ...endingPause(row, cancellingAt), state: 'cancelling', cancellingAt };
  });
  if (row !== before) log.info('batch-cancelling', { batch: id, workload: row.workload, was: before.state });
  return row;
}

/**
 * Writes the `cancelled` outcome of the pending chunks that no worker can be running, up to a limit, and publishes the
 * results (those of another outcome if that was first). Wakes the queues of the other chunks, so that a dead drain is
 * replaced. Finalizes a batch without pending rows.
 */
export async function cancelPending(deps: FinalizeDeps, batch: BatchRow, limit = MAX_CHUNKS): Promise<ChunkTotals> {
  const workload = requireWorkload(deps, batch);
  const pass: CancelPass = { batch, workload, limit, seen: 0, gates: new Map() };
  const ended = { ...NOTHING };
  const reported = { ...NOTHING_PUT };
  for await (const group of groupsToEnd(deps, pass)) {
    const ends = await inParallel(group, PUTS_AT_ONCE, (row) => endCancelled(deps, row));
    for (const [queue, own] of Map.groupBy(ends, ({ chunk }) => queueOf(workload, batch.lane, chunk))) {
      const put = await reportEnds(deps, { workload, queue, ends: own, gate: pass.gates.get(queue) });
      reported.items += put.items;
      reported.payloadBytes += put.payloadBytes;
    }
    ended.chunks += group.length;
    ended.items += group.reduce((sum, { items }) => sum + items, 0);
  }
  if (pass.seen === 0) await finalize(deps, batch.id);
  if (ended.chunks > 0) await wakeQueue(deps, resultsQueueName(workload.name), reported);
  for (const [queue, { status }] of pass.gates) if (status === 'draining') await wakeQueue(deps, queue, NOTHING_PUT);
  return ended;
}

/** One pass over the pending rows of a batch. */
interface CancelPass {
  batch: BatchRow;
  workload: Workload;
  /** Maximum number of chunks to end. */
  limit: number;
  /** Pending rows so far. */
  seen: number;
  /** The gates that were read, by queue. */
  gates: Map<string, GateRow>;
}

/** Returns the pending rows that may be ended, in groups. */
async function* groupsToEnd(deps: FinalizeDeps, pass: CancelPass): AsyncGenerator<ChunkRow[]> {
  let group: ChunkRow[] = [];
  let left = pass.limit;
  for await (const { row } of chunkRows(deps.table, pass.batch.id, 'pending')) {
    if (left === 0 || pass.seen === MAX_ROWS) break;
    pass.seen += 1;
    if (await mayRun(deps, pass, row)) continue;
    left -= 1;
    if (group.push(row) < CHUNKS_PER_REPORT) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/**
 * Returns whether a worker may be running the chunk, or may start it without knowing that the batch is cancelled. That
 * is not possible if no drain holds the gate of its queue: its tasks have ended, and the next drain reads the batch
 * after its state was changed. Nor is it possible one visibility timeout after the cancel: the worker of a long chunk
 * reads the batch every ten seconds, so a worker that still runs it is out of contact.
 */
async function mayRun(deps: FinalizeDeps, pass: CancelPass, row: ChunkRow): Promise<boolean> {
  const { batch, workload, gates } = pass;
  const now = deps.gate.now();
  // Rows of an earlier version have no time, and are old.
  if (now > (Date.parse(batch.cancellingAt ?? '') || 0) + deps.visibilitySeconds * 1_000) return false;
  if (row.dueAt !== undefined && Date.parse(row.dueAt) > now + LONGEST_SLICE_MS) return false;
  const queue = queueOf(workload, batch.lane, row.chunk);
  const gate = gates.get(queue) ?? (await readGate(deps.gate.table, queue)).row;
  gates.set(queue, gate);
  return gate.status === 'draining';
}

async function endCancelled(deps: FinalizeDeps, { batch, chunk, reference }: ChunkRow): Promise<FinishedChunk> {
  const error = new Error('The batch was cancelled.');
  const nowMs = deps.gate.now();
  const cancelled = endWholeChunk({ reference, ending: 'cancelled', error, nowMs, version: reference.version });
  const { header } = await putOutcome(deps.container(CONTAINERS.results), reference, cancelled);
  return { batch, chunk, header };
}

/** The ended chunks of one queue; `gate` is the gate of the queue, if it was read. */
interface CancelledChunks {
  workload: Workload;
  queue: string;
  ends: FinishedChunk[];
  gate: GateRow | undefined;
}

async function reportEnds(deps: FinalizeDeps, { workload, queue, ends, gate }: CancelledChunks): Promise<WorkPut> {
  // The next drain receives their references and deletes them, so the batch pays a share of that drain.
  const generation = gate && gate.generation + 1;
  const operations = addOperations(deps.meter.unrecorded(), { 'queue.put': 1 });
  // Refused messages are logged there. Their rows stay pending, so that the sweep continues with them.
  const put = await putResults(deps, { from: { queue, workload }, ends, operations, generation });
  deps.meter.record(put.operations);
  return put;
}

async function wakeQueue(deps: FinalizeDeps, queue: string, { items, payloadBytes }: WorkPut): Promise<void> {
  const address = deps.registry.queue(queue);
  if (address) await deps.publish(address, { type: 'QueueWorkDetected', items, payloadBytes });
}
