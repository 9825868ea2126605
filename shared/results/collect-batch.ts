/** Collects the outcomes of one batch: ledger, references that follow, events, and its end if nothing is pending. */
import { applyOutcomes } from '../batches/apply/apply-outcomes.ts';
import type { Applied, ReportedOutcome } from '../batches/apply/plan-apply.ts';
import type { ApplyRead } from '../batches/apply/read-for-apply.ts';
import { type BatchRow, isFinished } from '../batches/batch-row.ts';
import type { ChunkRow } from '../batches/chunk-row.ts';
import { MAX_CHUNK_ROWS_PER_TRANSACTION } from '../batches/ledger.ts';
import { cleaningUp } from '../batches/remove-batch.ts';
import { forBatch } from '../cost/account.ts';
import { BatchGoneError } from '../errors.ts';
import { publishDeadLetters, publishPaused, publishResultsReady, publishRisk } from '../events/batch-events.ts';
import { enqueue } from '../queues/enqueue.ts';
import { log } from '../telemetry/log.ts';
import { countChunk } from '../telemetry/metrics.ts';
import { commonTrace, type SpanOptions, withSpan } from '../telemetry/trace.ts';
import { announce } from './announce.ts';
import { countFinished, createFinishBatch, type FinalizeDeps, finalize } from './finalize.ts';

export interface BatchWork {
  workload: string;
  outcomes: ReportedOutcome[];
  /** Traces of messages whose chunks all share one trace; without one, the trace of the batch row is used. */
  traceparents?: (string | undefined)[];
  /** The rows as they were read before, if they were; written only if they have not changed. */
  read?: ApplyRead | undefined;
}

/**
 * Applies a batch's outcomes, puts follow-ups, and finishes the batch if nothing is pending; also for a message that contains
 * only repeats. The operations are charged to the batch. If the batch was deleted, removes the outcomes and whatever else was written since then.
 */
export async function collectBatch(deps: FinalizeDeps, id: string, work: BatchWork): Promise<void> {
  try {
    await forBatch(id, () => cleaningUp(deps, { id, workload: work.workload }, () => collectOutcomes(deps, id, work)));
  } catch (error) {
    if (!(error instanceof BatchGoneError)) throw error;
    log.info('orphaned-result', { batch: id });
  }
}

async function collectOutcomes(deps: FinalizeDeps, id: string, work: BatchWork): Promise<void> {
  const { outcomes } = work;
  const trace = commonTrace(work.traceparents ?? []);
  const at = new Date(deps.gate.now()).toISOString();
  const haltRule = (workload: string) => deps.registry.workload(workload)?.halt;
  const all: Applied[] = [];
  const finish = createFinishBatch(deps);
  for (const group of groupsByRows(outcomes)) {
    const startMs = Date.now();
    const applied = await applyOutcomes(deps.table, id, group, {
      at,
      haltRule,
      finish,
      known: all.length === 0 ? work.read : undefined,
    });
    all.push(applied);
    if (applied.isBatchFinished) countFinished(applied.batch);
    await withSpan('sluice.collect', spanOf(applied.batch, { outcomes: group, trace, startMs }), () =>
      followUp(deps, applied, group),
    );
  }
  const last = all.at(-1);
  if (!last) return;
  await publishAll(deps, last.batch, all);
  await finishIfDone(deps, last);
}

/**
 * Publishes the events that follow from the outcomes of a delivery, with the batch's state after them. Every delivery
 * publishes the same events, so that none is lost if the process crashes between the transaction and the deletion of the
 * messages.
 */
async function publishAll(deps: FinalizeDeps, batch: BatchRow, all: Applied[]): Promise<void> {
  const isHalt = !isNothingPending(batch) && all.some((applied) => applied.isHalt);
  // First: only an operator can continue such a batch, and the alert must not wait for the topic.
  if (isHalt) log.warn('batch-paused', { batch: batch.id, workload: batch.workload, ...batch.paused });
  if (deps.registry.workload(batch.workload)?.resultsReady === true)
    for (const applied of all) await publishResultsReady(deps, batch, applied.recorded);
  const recorded = new Map(all.flatMap((applied) => applied.recorded.map((outcome) => [outcome.chunk, outcome])));
  await publishDeadLetters(deps, batch, [...recorded.values()]);
  const risk = all.findLast((applied) => applied.risk !== undefined)?.risk;
  if (risk !== undefined && !isNothingPending(batch)) await publishRisk(deps, batch, risk);
  if (isHalt) await publishPaused(deps, batch);
}

/** Returns the options of a span that starts before the batch row is read, and needs data of that row. */
function spanOf(
  batch: BatchRow,
  { outcomes, trace, startMs }: { outcomes: ReportedOutcome[]; trace: string | undefined; startMs: number },
): SpanOptions {
  const attributes = { 'sluice.batch': batch.id, 'sluice.chunks': outcomes.length };
  return { parent: trace ?? batch.traceparent, kind: 'consumer', attributes, startMs };
}

const isNothingPending = ({ chunksDone, chunksTotal }: BatchRow): boolean => chunksDone === chunksTotal;

/** Puts the follow-up references. In a paused batch, they are put when it is resumed: their rows are pending until then. */
async function followUp(deps: FinalizeDeps, applied: Applied, outcomes: ReportedOutcome[]): Promise<void> {
  const { batch, followUps, repeated, fresh } = applied;
  const openedMs = Date.parse(batch.openedAt);
  for (const { chunk, header } of outcomes)
    if (fresh.has(chunk)) countChunk(batch, header.counts, (deps.gate.now() - openedMs) / 1000);
  if (batch.state === 'paused') return;
  const timed = (rows: ChunkRow[]): ChunkRow[] => (batch.state === 'cancelling' ? rows.map(atOnce) : rows);
  await enqueue(deps, batch, timed(followUps));
  // Most have their reference already, and may have been run by it.
  await enqueue(deps, batch, timed(repeated), { resent: true });
}

async function finishIfDone(deps: FinalizeDeps, { batch, etag, allRows }: Applied): Promise<void> {
  if (isFinished(batch.state)) await announce(deps, batch, etag);
  else if (isNothingPending(batch)) await finalize(deps, batch.id, { batch: { row: batch, etag }, rows: allRows });
}

/** In a batch that is being cancelled, no retry waits until it is due: a worker cancels it. */
const atOnce = ({ dueAt: _dueAt, ...row }: ChunkRow): ChunkRow => row;

/** Splits outcomes into groups that fit into a transaction with the rows that they insert. Pure. */
export function groupsByRows(outcomes: readonly ReportedOutcome[]): ReportedOutcome[][] {
  const groups: ReportedOutcome[][] = [];
  let room = 0;
  for (const outcome of outcomes) {
    const rows = 1 + (outcome.header.retries ? 1 : 0) + (outcome.header.parts?.length ?? 0);
    if (rows > room) {
      groups.push([]);
      room = MAX_CHUNK_ROWS_PER_TRANSACTION;
    }
    room -= rows;
    groups.at(-1)?.push(outcome);
  }
  return groups;
}
