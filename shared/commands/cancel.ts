/**
 * Cancelling: what has finished stays, the rest is cancelled. The state is changed first; from then on every worker
 * cancels a chunk of the batch that it meets, and stops one that it runs. This cancels the pending chunks that no worker
 * can be running. The outcome blob decides, as for every ending.
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

/** Outcomes that one request writes; the workers, a repeated request and the sweep do the rest of a larger batch. */
export const MAX_CHUNKS = 2_000;
/** Rows that one request looks at: twenty operations. */
const MAX_ROWS = 20_000;
/** Outcomes written before their results are published: a crash in between costs their repetition. */
const CHUNKS_A_TELLING = 100;
const PUTS_AT_ONCE = 16;
/**
 * A retry that is due later than this cannot be met by a slice that read the batch before it was cancelled: a slice
 * takes two minutes at most (settings.ts: SLUICE_SLICE_SECONDS).
 */
const LONGEST_SLICE_MS = 120_000;

/** Chunks, and the items in them. */
export interface ChunkTotals {
  chunks: number;
  items: number;
}

/** A batch being cancelled. */
export interface Cancelling {
  row: BatchRow;
  /** Pending chunks that this call has ended: cancelled, unless they had an outcome. */
  ended: ChunkTotals;
  /**
   * What was pending beside them when the batch was read: a worker runs it or will meet it, or its result is on its
   * way.
   */
  left: ChunkTotals;
}

const NOTHING: ChunkTotals = { chunks: 0, items: 0 };

/**
 * Cancels a batch, also one that is paused. Repeated, it goes on where it is; a batch that is cancelled already is answered
 * as it is. One in which nothing was left to cancel ends as what it is, completed: its state says what became of the items,
 * not what was requested.
 * @param limit most chunks to end
 * @throws Problem 'not-found'; 'conflict' when the batch has come to another end, or its workload is not deployed any more.
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
 * Moves an unfinished batch to `cancelling`. One that is still `accepting` gets all its rows first: nobody completes
 * the intake of a cancelling batch, and a row that is missing would keep it open indefinitely.
 */
async function markCancelling(deps: FinalizeDeps, id: string): Promise<BatchRow> {
  const { before, row } = await changeFor(deps, id, async (row) => {
    if (isFinished(row.state)) return row;
    // Before anything is written: nobody could carry it out, and the batch would be neither resumed nor cancelled.
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
 * Writes the `cancelled` outcome of the pending chunks that no worker can be running, a bounded number, and publishes
 * the results, also where another outcome was first. Wakes the queues of the others, so that a drain which has died is
 * replaced. A batch without pending rows is finalized.
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
  /** Most chunks to end. */
  limit: number;
  /** Pending rows so far. */
  seen: number;
  /** Gates by queue, as far as they were read. */
  gates: Map<string, GateRow>;
}

/** The pending rows that may be ended, in groups. */
async function* groupsToEnd(deps: FinalizeDeps, pass: CancelPass): AsyncGenerator<ChunkRow[]> {
  let group: ChunkRow[] = [];
  let left = pass.limit;
  for await (const { row } of chunkRows(deps.table, pass.batch.id, 'pending')) {
    if (left === 0 || pass.seen === MAX_ROWS) break;
    pass.seen += 1;
    if (await mayRun(deps, pass, row)) continue;
    left -= 1;
    if (group.push(row) < CHUNKS_A_TELLING) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/**
 * Whether a worker may be running the chunk, or may be about to without knowing that the batch is cancelled. Not where
 * no drain holds the gate of its queue: its tasks have ended, and whoever acquires it now reads the batch after its
 * state was changed. Nor one visibility timeout after that: a worker looks at the batch of a long chunk all ten seconds,
 * so who runs it still is not heard of any more.
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

/** Chunks of one queue; `gate` is that of the queue, if it was read. */
interface CancelledChunks {
  workload: Workload;
  queue: string;
  ends: FinishedChunk[];
  gate: GateRow | undefined;
}

async function reportEnds(deps: FinalizeDeps, { workload, queue, ends, gate }: CancelledChunks): Promise<WorkPut> {
  // The next drain meets their references and deletes them: the batch pays for its part of that one.
  const generation = gate && gate.generation + 1;
  const operations = addOperations(deps.meter.unrecorded(), { 'queue.put': 1 });
  // What is refused is logged there; its rows stay pending, so that the sweep goes on with them.
  const put = await putResults(deps, { from: { queue, workload }, ends, operations, generation });
  deps.meter.record(put.operations);
  return put;
}

async function wakeQueue(deps: FinalizeDeps, queue: string, { items, payloadBytes }: WorkPut): Promise<void> {
  const address = deps.registry.queue(queue);
  if (address) await deps.publish(address, { type: 'QueueWorkDetected', items, payloadBytes });
}
