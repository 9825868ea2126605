/**
 * Cancelling: what has run stays, what has not is cancelled. The state is changed first; from then on every worker that
 * meets a chunk cancels it, and so does this, over the pending rows. The outcome blob decides, as for every ending.
 */
import { type BatchRow, isFinished, toBatchEntity } from '../batches/batch-row.ts';
import type { ChunkRow } from '../batches/chunk-row.ts';
import { chunkRows, insertChunks, readBatch, rowOf } from '../batches/ledger.ts';
import { CONTAINERS, resultsQueueName } from '../contract/names.ts';
import type { FinishedChunk } from '../contract/reference.ts';
import { Problem } from '../errors.ts';
import { inParallel } from '../parallel.ts';
import { endWholeChunk } from '../processing/outcome/endings.ts';
import { putOutcome } from '../processing/outcome/outcome-store.ts';
import { putResults } from '../processing/put-results.ts';
import { type FinalizeDeps, finalize } from '../results/finalize.ts';
import { LOST_RACE, retryLostRace } from '../storage/lost-race.ts';
import { writeRow } from '../storage/write-row.ts';
import { log } from '../telemetry/log.ts';
import { queueOf } from '../wake/enqueue.ts';
import type { Workload } from '../workload/define.ts';
import { rowsOfRevision } from './redrive/revision-rows.ts';

/** Outcomes that one request writes; the workers and the sweep do the rest of a larger batch. */
const MAX_CHUNKS = 2_000;
/** Outcomes written before their results are told: a crash in between costs their repetition. */
const CHUNKS_A_TELLING = 100;
const PUTS_AT_ONCE = 16;

/** A batch being cancelled, and how many chunks this call ended. */
export interface Cancelling {
  row: BatchRow;
  chunks: number;
}

/**
 * Cancels a batch. Repeated, it goes on where it is; a batch that is cancelled already is answered as it is. One in which
 * nothing was left to cancel ends as what it is, completed: its state says what became of the items, not what was asked.
 * @throws Problem 'not-found'; 'conflict' when the batch has come to another end.
 */
export async function cancelBatch(deps: FinalizeDeps, id: string): Promise<Cancelling> {
  const row = await markCancelling(deps, id);
  if (row.state === 'cancelled') return { row, chunks: 0 };
  if (isFinished(row.state)) throw new Problem('conflict', `Batch ${id} is ${row.state}; there is nothing to cancel.`);
  return { row, chunks: await cancelPending(deps, row) };
}

/**
 * Moves an unfinished batch to `cancelling`. One that is still `accepting` gets all its rows first: nobody completes
 * the intake of a cancelling batch, and a row that is missing would keep it open for ever.
 */
const markCancelling = (deps: FinalizeDeps, id: string): Promise<BatchRow> =>
  retryLostRace(rowOf(id), async () => {
    const found = await readBatch(deps.table, id);
    if (!found) throw new Problem('not-found', `There is no batch "${id}".`);
    const { row, etag } = found;
    if (isFinished(row.state) || row.state === 'cancelling') return row;
    if (row.state === 'accepting') await insertChunks(deps.table, await rowsOfRevision(deps, row));
    const next: BatchRow = { ...row, state: 'cancelling' };
    if ((await writeRow(deps.table, toBatchEntity(next), etag)) === undefined) return LOST_RACE;
    log.info('batch-cancelling', { batch: id, workload: row.workload, was: row.state });
    return next;
  });

/**
 * Writes the `cancelled` outcome of pending chunks, a bounded number, and tells the results, also where another outcome
 * was first. Gives the number of chunks. A batch without pending rows is finalized.
 */
export async function cancelPending(deps: FinalizeDeps, batch: BatchRow, limit = MAX_CHUNKS): Promise<number> {
  const workload = deps.registry.workload(batch.workload);
  if (!workload) throw new Problem('conflict', `Workload "${batch.workload}" is not deployed any more.`);
  let chunks = 0;
  for await (const group of pendingGroups(deps, batch.id, limit)) {
    const ends = await inParallel(group, PUTS_AT_ONCE, (row) => endCancelled(deps, row));
    await reportEnds(deps, { batch, workload, ends });
    chunks += group.length;
  }
  if (chunks === 0) await finalize(deps, batch.id);
  else await wakeResults(deps, workload);
  return chunks;
}

async function* pendingGroups(deps: FinalizeDeps, id: string, limit: number): AsyncGenerator<ChunkRow[]> {
  let group: ChunkRow[] = [];
  let left = limit;
  for await (const { row } of chunkRows(deps.table, id, 'pending')) {
    if (left === 0) break;
    left -= 1;
    if (group.push(row) < CHUNKS_A_TELLING) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

async function endCancelled(deps: FinalizeDeps, { batch, chunk, reference }: ChunkRow): Promise<FinishedChunk> {
  const error = new Error('The batch was cancelled.');
  const nowMs = deps.gate.now();
  const cancelled = endWholeChunk({ reference, ending: 'cancelled', error, nowMs, version: reference.version });
  const { header } = await putOutcome(deps.container(CONTAINERS.results), reference, cancelled);
  return { batch, chunk, header };
}

interface CancelledChunks {
  batch: BatchRow;
  workload: Workload;
  ends: FinishedChunk[];
}

async function reportEnds(deps: FinalizeDeps, { batch, workload, ends }: CancelledChunks): Promise<void> {
  const from = { queue: queueOf(workload, batch.lane, ends[0]?.chunk ?? ''), workload };
  // An outcome and its share of a telling; who counts more exactly would need a measure a chunk.
  const operations = { 'blob.put': ends.length, 'queue.put': 1 };
  // What is refused is logged there; its rows stay pending, so that the sweep goes on with them.
  await putResults(deps, { from, ends, operations });
}

async function wakeResults(deps: FinalizeDeps, workload: Workload): Promise<void> {
  const results = deps.registry.queue(resultsQueueName(workload.name));
  if (results) await deps.publish(results, { type: 'QueueWorkDetected' });
}
