import type { BatchRow } from '../batches/batch-row.ts';
import type { ChunkRow } from '../batches/chunk-row.ts';
import { chunkRows } from '../batches/ledger.ts';
import { CONTAINERS, resultsQueueName } from '../contract/names.ts';
import type { DoneChunk } from '../contract/reference.ts';
import { NOTHING_PUT, type WorkPut } from '../events/publish.ts';
import type { GateRow } from '../gate/gate-row.ts';
import { readGate } from '../gate/gate-store.ts';
import { groupsOfSource } from '../groups-of.ts';
import { inParallel } from '../parallel.ts';
import { putOutcome } from '../processing/outcome/outcome-store.ts';
import { unrunOutcome } from '../processing/outcome/unrun-outcomes.ts';
import { putResults } from '../processing/publish/put-results.ts';
import { queueOf } from '../queues/queue-of.ts';
import { type FinalizeDeps, finalize, requireWorkload } from '../results/finalize.ts';
import type { Workload } from '../workload/define.ts';

/** Maximum number of outcomes that one request writes; the workers, a repeated request and the sweep cancel the rest. */
export const MAX_CHUNKS = 2_000;
/** Maximum number of rows that one pass reads, and of outcomes that a sweep writes: twenty reads, a minute of writes. */
export const MAX_ROWS = 20_000;
/** Number of outcomes that are written before their results are published; a crash in between repeats their work. */
const CHUNKS_PER_REPORT = 100;
const PUTS_AT_ONCE = 16;
/**
 * A retry that is due later than this cannot be received by a slice that read the batch before it was cancelled: a
 * slice runs for at most two minutes (settings.ts: SLUICE_SLICE_SECONDS).
 */
const LONGEST_SLICE_MS = 120_000;

export interface ChunkTotals {
  chunks: number;
  items: number;
}

export const NOTHING: ChunkTotals = { chunks: 0, items: 0 };

export interface CancelLimits {
  /** Maximum number of chunks to end. Defaults to MAX_CHUNKS. */
  limit?: number;
  /** Whether the time is up; called for each chunk. Defaults to never. */
  isOver?: () => boolean;
}

/**
 * Writes the `cancelled` outcome of the pending chunks that no worker can be running, within limits, and publishes the
 * results (those of another outcome if that was first). Wakes the queues of the other chunks: their workers cancel them now,
 * and a dead drain is replaced. Finalizes a batch without pending rows.
 */
export async function cancelPending(
  deps: FinalizeDeps,
  batch: BatchRow,
  { limit = MAX_CHUNKS, isOver = () => false }: CancelLimits = {},
): Promise<ChunkTotals> {
  const workload = requireWorkload(deps, batch);
  const pass: CancelPass = { batch, workload, limit, isOver, seen: 0, isWhole: false, gates: new Map() };
  const ended = { ...NOTHING };
  const reported = { ...NOTHING_PUT };
  for await (const group of groupsOfSource(rowsToEnd(deps, pass), CHUNKS_PER_REPORT)) {
    const cancelled = await inParallel(group, PUTS_AT_ONCE, (row) => endCancelled(deps, row));
    for (const [queue, chunks] of Map.groupBy(cancelled, ({ chunk }) => queueOf(workload, batch, chunk))) {
      const put = await putResults(deps, { from: { queue, workload }, chunks });
      reported.items += put.items;
      reported.payloadBytes += put.payloadBytes;
    }
    ended.chunks += group.length;
    ended.items += group.reduce((sum, { items }) => sum + items, 0);
  }
  if (pass.seen === 0 && pass.isWhole) await finalize(deps, batch.id);
  if (ended.chunks > 0) await wakeQueue(deps, resultsQueueName(workload.name), reported);
  for (const queue of queuesToWake(deps, pass)) await wakeQueue(deps, queue, NOTHING_PUT);
  return ended;
}

interface CancelPass {
  batch: BatchRow;
  workload: Workload;
  limit: number;
  isOver: () => boolean;
  seen: number;
  isWhole: boolean;
  gates: Map<string, GateRow>;
}

/** The queues of chunks that this pass leaves to workers: those with a drain, or all of the lane if rows were not seen. */
function queuesToWake({ registry }: FinalizeDeps, { batch, workload, isWhole, gates }: CancelPass): string[] {
  if (isWhole) return [...gates].filter(([, { status }]) => status === 'draining').map(([queue]) => queue);
  return registry
    .queues()
    .filter(({ kind, lane, workload: { name } }) => kind === 'items' && lane === batch.lane && name === workload.name)
    .map(({ queue }) => queue);
}

async function* rowsToEnd(deps: FinalizeDeps, pass: CancelPass): AsyncGenerator<ChunkRow> {
  let left = pass.limit;
  for await (const row of chunkRows(deps.table, pass.batch.id, { state: 'pending' })) {
    if (left === 0 || pass.seen === MAX_ROWS || pass.isOver()) return;
    pass.seen += 1;
    if (await mayRun(deps, pass, row)) continue;
    left -= 1;
    yield row;
  }
  pass.isWhole = true;
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
  if (now > (Date.parse(batch.cancellingAt ?? '') || 0) + deps.visibilitySeconds * 1_000) return false;
  if (row.dueAt !== undefined && Date.parse(row.dueAt) > now + LONGEST_SLICE_MS) return false;
  const queue = queueOf(workload, batch, row.chunk);
  const gate = gates.get(queue) ?? (await readGate(deps.gate.table, queue)).row;
  gates.set(queue, gate);
  return gate.status === 'draining';
}

async function endCancelled(deps: FinalizeDeps, { batch, chunk, reference }: ChunkRow): Promise<DoneChunk> {
  const error = new Error('The batch was cancelled.');
  const nowMs = deps.gate.now();
  const cancelled = unrunOutcome({ reference, ending: 'cancelled', error, nowMs });
  const { header } = await putOutcome(deps.container(CONTAINERS.results), reference, cancelled);
  return { batch, chunk, header };
}

async function wakeQueue(deps: FinalizeDeps, queue: string, { items, payloadBytes }: WorkPut): Promise<void> {
  const address = deps.registry.queue(queue);
  if (address) await deps.publish(address, { type: 'QueueWorkDetected', items, payloadBytes });
}
