import { z } from 'zod';
import { BATCH_STATES, isFinished } from '../../batches/batch-row.ts';
import { type ListedBatch, listBatchesOf } from '../../batches/listing/listing.ts';
import { isDeadlineMet } from '../../batches/revisions.ts';
import { batchDate, batchTimeMs } from '../../contract/names.ts';
import { DAY_MS, dateOf } from '../../days.ts';
import { Problem } from '../../errors.ts';
import { json } from '../edge/answers.ts';
import type { Reads } from '../edge/app.ts';
import { nextLink } from '../edge/links.ts';
import { batchIdOf, dayOf, labelsOf, oneOf, searchOf, wholeOf, workloadNameOf } from '../edge/request/parameters.ts';
import { type Handle, query, whole } from '../edge/route.ts';
import { COMPONENTS, count, time } from '../edge/schemas.ts';
import { batchLinksSchema, batchViewSchema, deadlineMetSchema } from './schemas.ts';
import { batchLinks } from './view/batch-view.ts';
import { blockedOf, canBeBlocked, type QueueStates, type QueueStatesDeps, readQueueStates } from './view/blocked.ts';
import { paceOf } from './view/pace-view.ts';

const { id, workload, lane, state, labels, ratePerSecond, estimate, blocked } = batchViewSchema.shape;

export const batchEntrySchema = z.object({
  ...{ id, workload, lane, state, labels, estimate, blocked },
  accepted: count,
  dead: count,
  discarded: count,
  pending: count,
  file: z.string().optional().describe('Name of the uploaded file'),
  createdAt: time.describe('The creation time of the id, by which listings are sorted'),
  revision: count,
  openedAt: time.describe('When the current revision was opened. The following three fields are about it, too'),
  completedAt: time.nullable(),
  deadlineAt: time,
  ratePerSecond,
  deadlineMet: deadlineMetSchema,
  latencyP95Ms: count.nullable().describe('Latency of the first revision, after its completion'),
  causes: z.record(z.string(), count).optional().describe('The most frequent causes of its current dead letters'),
  atRiskAt: time.optional().describe('Like `deadline.atRiskAt` of the batch, but only until it is finished'),
  links: batchLinksSchema,
});
export type BatchEntry = z.infer<typeof batchEntrySchema>;

/** Batches, newest first, and the days (UTC) that the listing covers. */
export const batchListSchema = z
  .object({
    batches: z.array(batchEntrySchema),
    days: z.object({ from: z.iso.date(), to: z.iso.date() }),
    scanned: z
      .object({
        batches: count,
        until: time.nullable().describe('Creation of the last of them; null if there are none'),
      })
      .describe('Batches that were compared with the filter. The page may be empty and still have a next page'),
  })
  .register(COMPONENTS, { id: 'BatchList' });
export type BatchList = z.infer<typeof batchListSchema>;

/** Number of days that a listing without `?day=` covers. Each day is one query, also on an idle pipeline. */
const DAYS_BACK = 7;
export const LIMIT = query('limit', 'Maximum number of batches per page', whole(1, 200, 50));

/**
 * GET batches: the batches of a day, or of the last days, newest first. A page compares at most 2,000 batches with the
 * filters, so it may be empty and still have a next page. If it contains unfinished batches, one more query reads the states of
 * the queues.
 */
export const listBatches: Handle<QueueStatesDeps & Pick<Reads, 'table'>> = async (deps, request) => {
  const { table } = deps;
  const after = batchIdOf(request, 'after');
  const nowMs = deps.gate.now();
  const days = daysFor(dayOf(request), after, nowMs);
  const { batches, next, scanned } = await listBatchesOf(table, {
    days,
    after,
    limit: wholeOf(request, LIMIT),
    workload: workloadNameOf(request),
    state: oneOf(request, 'state', BATCH_STATES),
    labels: labelsOf(request),
    search: searchOf(request),
  });
  const states = batches.some(canBeBlocked) ? await readQueueStates(deps) : undefined;
  const [to = '', from = to] = [days[0], days.at(-1)];
  const list: BatchList = {
    batches: batches.map((batch) => entryOf(batch, nowMs, states)),
    days: { from, to },
    scanned: { batches: scanned.count, until: scanned.last === undefined ? null : createdAtOf(scanned.last) },
  };
  return json(list, { headers: nextLink(request, { after: next }) });
};

/** The days to query, newest first. A following page begins on the day on which the previous page ended. */
function daysFor(day: string | undefined, after: string | undefined, nowMs: number): string[] {
  if (day !== undefined && after !== undefined && batchDate(after) !== day) {
    throw new Problem('invalid-parameter', `after must be a batch of the day ${day}; got one of ${batchDate(after)}.`);
  }
  if (day !== undefined) return [day];
  const startMs = after === undefined ? nowMs : batchTimeMs(after);
  return Array.from({ length: DAYS_BACK }, (_, back) => dateOf(startMs - back * DAY_MS));
}

const createdAtOf = (id: string): string => new Date(batchTimeMs(id)).toISOString();

function entryOf(batch: ListedBatch, nowMs: number, states: QueueStates | undefined): BatchEntry {
  const { id, workload, lane, state, accepted, dead, discarded, pending, labels, causes, revision } = batch;
  const { openedAt, deadlineAt } = batch;
  const blocked = states && canBeBlocked(batch) ? blockedOf(batch, states) : undefined;
  return {
    ...{ id, workload, lane, state, accepted, dead, discarded, pending, labels, causes, revision },
    ...{ openedAt, deadlineAt, blocked },
    file: batch.fileName,
    createdAt: createdAtOf(id),
    completedAt: batch.completedAt ?? null,
    deadlineMet: batch.deadlineMet ?? isDeadlineMet(batch, nowMs),
    latencyP95Ms: batch.latencyP95 ?? null,
    atRiskAt: isFinished(state) ? undefined : batch.atRiskAt,
    ...paceOf({ ...batch, items: batch.revisionItems, isBlocked: blocked !== undefined }, nowMs),
    links: batchLinks(id),
  };
}
