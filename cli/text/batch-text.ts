import { isFinished, SUSPECT_ITEMS } from '../../shared/batches/batch-row.ts';
import { addOperations } from '../../shared/contract/operations.ts';
import { MESSAGE_PER_ITEM, storageOperations, timesOperations } from '../../shared/cost/times-operations.ts';
import type { BatchView } from '../../shared/http/batches/schemas.ts';
import { formatBar, formatCount, formatList, formatNumber, formatRate, formatSeconds, formatTime } from './format.ts';

/** What is shown of a batch; docs/api.md has all of it. */
export type ShownBatch = Pick<
  BatchView,
  'id' | 'state' | 'counts' | 'ratePerSecond' | 'latencyMs' | 'deadline' | 'revision' | 'revisions'
> & {
  receipt?: ShownReceipt;
  blocked?: BatchView['blocked'];
  waiting?: BatchView['waiting'];
  progress?: BatchView['progress'];
  estimate?: BatchView['estimate'];
  suspect?: BatchView['suspect'];
  hint?: BatchView['hint'];
  paused?: BatchView['paused'];
  producer?: BatchView['producer'];
};

/** What is shown of a receipt beside the price. */
export type ShownReceipt = Pick<
  BatchView['receipt'],
  'soFar' | 'operations' | 'drainOperations' | 'hostOperations' | 'storageOperations' | 'executions'
>;

/** What is shown of a queue beside a batch. */
export interface ShownQueue {
  depth: number;
  active: number;
}

/**
 * Progress in one line, with what has ended in running chunks; depth and tasks are of all queues, as they share the
 * machine.
 */
export function describeProgress(batch: ShownBatch, queues?: readonly ShownQueue[] | undefined): string {
  const { progress, estimate, ratePerSecond, counts } = batch;
  const { accepted, pending } = counts;
  const done = accepted - pending + (progress?.ended ?? 0);
  const sum = (field: 'depth' | 'active'): number => (queues ?? []).reduce((total, queue) => total + queue[field], 0);
  return [
    `Process ${formatBar(accepted === 0 ? 0 : done / accepted)} ${formatCount(done)} of ${formatCount(accepted)} items`,
    ...(queues ? [`queue depth ${sum('depth')}`, `${formatNumber(sum('active'), 'dequeue task')} active`] : []),
    ...(progress ? [`${formatCount(progress.inFlight)} in flight`] : []),
    ...(progress && progress.failing > 0 ? [`${formatCount(progress.failing)} failing`] : []),
    ...(ratePerSecond === null ? [] : [`${formatRate(ratePerSecond)} items/s`]),
    ...(estimate ? [`done about ${formatTime(estimate.completesAt)} UTC`] : []),
  ].join(', ');
}

/** The latest failure in a running chunk, in one line; undefined while there is none. */
export const describeFailure = ({ progress }: Pick<ShownBatch, 'progress'>): string | undefined =>
  progress?.latestError && `Latest failure: ${progress.latestError}`;

/** Why a batch waits, in one line; undefined for one that does not. */
export function describeBlocked({ blocked, paused }: Pick<ShownBatch, 'blocked' | 'paused'>): string | undefined {
  if (paused) return `Paused since ${formatTime(paused.since)} UTC by ${PAUSED_BY[paused.by]}: ${paused.reason}`;
  return blocked && `Waits since ${formatTime(blocked.since)} UTC: queue ${blocked.queue}: ${blocked.reason}`;
}

/** What is ahead of a batch of which nothing runs, and why, unless that is said as `blocked`; undefined for any other. */
function describeWaiting({ waiting, blocked }: Pick<ShownBatch, 'blocked' | 'waiting'>): string | undefined {
  if (!waiting) return undefined;
  const { queue, batchesAhead, itemsAhead, nextAt, reason } = waiting;
  const items = formatNumber(itemsAhead, 'item');
  const ahead = batchesAhead === 0 ? 'first' : `behind ${formatNumber(batchesAhead, 'batch', 'batches')} of ${items}`;
  return [
    `Place in queue ${queue}: ${ahead}`,
    ...(blocked ? [] : [reason]),
    ...(nextAt === undefined ? [] : [`goes on about ${formatTime(nextAt)} UTC`]),
  ].join('; ');
}

/** What may be done about a paused batch, in one line; undefined for any other. */
export const describeChoice = ({ id, state }: Pick<ShownBatch, 'id' | 'state'>): string | undefined =>
  state === 'paused' ? `To go on: sluice resume ${id}; to end it: sluice cancel ${id}` : undefined;

const PAUSED_BY = { operator: 'an operator', halt: 'the halt rule of its workload' } as const;

/** Counts, what runs, latency, a deadline at risk or missed, the latest redrive and operations of a batch. */
export function describeBatch(batch: ShownBatch): string[] {
  const { state, counts, latencyMs, receipt, deadline, producer } = batch;
  const { accepted, succeeded, dead, discarded, cancelled, pending, retried } = counts;
  const latency =
    latencyMs && (['p50', 'p95', 'max'] as const).map((name) => `${name} ${formatSeconds(latencyMs[name])}`);
  const items = [
    `${formatCount(accepted)} accepted, ${formatCount(succeeded)} succeeded, ${formatCount(dead)} dead letters`,
    ...(discarded > 0 ? [`${formatCount(discarded)} discarded`] : []),
    ...(cancelled > 0 ? [`${formatCount(cancelled)} cancelled`] : []),
    ...(pending > 0 ? [`${formatCount(pending)} pending`] : []),
    `${formatCount(retried)} retried`,
  ];
  return [
    `State: ${state}`,
    ...(producer === undefined ? [] : [`Producer: ${producer}`]),
    ...describeSuspect(batch),
    `Items: ${items.join(', ')}`,
    ...(batch.hint === undefined ? [] : [batch.hint]),
    ...[
      describeBlocked(batch),
      describeWaiting(batch),
      describeRunning(batch),
      describeFailure(batch),
      describeEstimate(batch),
    ].filter((line) => line !== undefined),
    ...(latency ? [`Latency from acceptance to done: ${latency.join(', ')}`] : []),
    ...describeRisk(batch),
    ...(deadline.met === false ? [`Deadline missed: ${formatTime(deadline.at)} UTC`] : []),
    ...describeRedrive(batch),
    ...(receipt ? describeOperations(receipt, accepted) : []),
  ];
}

/** When it is finished, whether the deadline was met says more. That of a redrive is its own: the upload is judged. */
function describeRisk({ state, deadline, revision }: ShownBatch): string[] {
  if (deadline.atRiskAt === undefined || isFinished(state)) return [];
  const name = revision === 0 ? 'Deadline' : `Deadline of revision ${revision}`;
  return [`${name} at risk since ${formatTime(deadline.atRiskAt)} UTC: it will probably be missed`];
}

function describeRunning({ progress }: ShownBatch): string | undefined {
  if (!progress) return undefined;
  const { chunks, items, ended, inFlight, failing } = progress;
  const counts = `${formatCount(ended)} ended, ${formatCount(inFlight)} in flight, ${formatCount(failing)} failing`;
  return `Running: ${formatNumber(chunks, 'chunk')} of ${formatNumber(items, 'item')}: ${counts}`;
}

const describeEstimate = ({ estimate }: ShownBatch): string | undefined =>
  estimate && `Done about ${formatTime(estimate.completesAt)} UTC: ${estimate.basis}`;

/** What is wrong with a suspect batch, and by which causes; empty for any other. */
function describeSuspect({ suspect, revisions }: Pick<ShownBatch, 'suspect' | 'revisions'>): string[] {
  if (suspect === undefined) return [];
  // A discard and a redrive of the report alone run no items, and keep the verdict on those of the revision before.
  const judged = revisions.findLast(({ items, kind }) => items > 0 && kind !== 'discard');
  const first = (judged?.items ?? 0) > SUSPECT_ITEMS ? `first ${formatCount(SUSPECT_ITEMS)} ` : '';
  const items = (judged?.revision ?? 0) > 0 ? 'redriven items' : 'items';
  return [
    `Suspect: none of the ${first}${items} is valid. The file or the schema is probably wrong.`,
    ...suspect.causes.flatMap(({ cause, count, example }) => [
      `  ${formatNumber(count, 'item')}: ${cause}`,
      ...(example === undefined
        ? []
        : [`    for example at position ${formatCount(example.position)}: ${example.message}`]),
    ]),
    suspect.hint,
    `See what is wrong: ${suspect.command}`,
  ];
}

/** What the latest redrive or discard took: the latency above is that of the upload. */
function describeRedrive({ revision, revisions }: ShownBatch): string[] {
  const latest = revisions.at(-1);
  if (revision === 0 || !latest) return [];
  const took =
    latest.completed === null ? [] : [formatSeconds(Date.parse(latest.completed) - Date.parse(latest.opened))];
  return [[`Revision ${revision}: ${whatOf(latest)}`, ...took].join(', done in ')];
}

function whatOf({ kind, items, reason = '' }: ShownBatch['revisions'][number]): string {
  if (kind === 'discard') return `${formatNumber(items, 'dead letter')} discarded (${reason})`;
  return `${kind === 'report' ? 'report' : formatNumber(items, 'item')} redriven`;
}

/** The numbers of the receipt: what storage bills, of which parts it consists, and the operations that were counted. */
function describeOperations(receipt: ShownReceipt, items: number): string[] {
  const { soFar, operations, drainOperations, hostOperations, executions } = receipt;
  const apart = formatCount(storageOperations(timesOperations(MESSAGE_PER_ITEM, items)));
  const counted = Object.entries(addOperations(operations, drainOperations)).sort(([, a], [, b]) => b - a);
  const parts = [
    `${formatCount(storageOperations(operations))} its own`,
    `${formatCount(storageOperations(drainOperations))} its share of drains`,
    `${formatCount(storageOperations(hostOperations))} computed for the Durable extension`,
  ];
  const { count, gbSeconds } = executions;
  return [
    `Operations${soFar ? ' so far' : ''}: ${formatCount(receipt.storageOperations)} on storage (one message per item would take ${apart} on the queue alone)`,
    `  ${parts.join(', ')}`,
    ...formatList(
      counted.map(([name, n]) => `${name} ${formatCount(n)}`),
      { head: '  ' },
    ),
    `Executions${soFar ? ' so far' : ''}: ${formatCount(count)}, at most ${formatCount(gbSeconds)} GB-seconds (computed)`,
  ];
}
