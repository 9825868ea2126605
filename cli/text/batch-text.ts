import type { BatchView } from '../../shared/http/batches/schemas.ts';
import { formatBar, formatCount, formatNumber, formatRate, formatSeconds, formatTime } from './format.ts';
import { describeOperations, type ShownReceipt } from './receipt-text.ts';

/** The fields of a batch that are shown; docs/api.md describes all of them. */
export type ShownBatch = Pick<
  BatchView,
  'id' | 'state' | 'counts' | 'ratePerSecond' | 'latencyMs' | 'deadline' | 'revision' | 'revisions'
> &
  Partial<Pick<BatchView, 'blocked' | 'notes' | 'progress' | 'estimate' | 'suspect' | 'hint' | 'producer'>> & {
    receipt?: ShownReceipt;
  };

export interface ShownQueue {
  depth: number;
  active: number;
}

/**
 * Describes the progress in one line, including finished items of running chunks. Depth and tasks are totals of all queues,
 * because the queues share the machine.
 */
export function describeProgress(batch: ShownBatch, queues?: readonly ShownQueue[] | undefined): string {
  const { progress, estimate, ratePerSecond, counts, blocked } = batch;
  const { accepted, pending } = counts;
  const done = accepted - pending + (progress?.ended ?? 0);
  const sum = (field: 'depth' | 'active'): number => (queues ?? []).reduce((total, queue) => total + queue[field], 0);
  return [
    `Process ${formatBar(accepted === 0 ? 0 : done / accepted)} ${formatCount(done)} of ${formatCount(accepted)} items`,
    ...(queues ? [`queue depth ${sum('depth')}`, `${formatNumber(sum('active'), 'dequeue task')} active`] : []),
    ...(progress ? [`${formatCount(progress.inFlight)} in flight`] : []),
    ...(progress && progress.failing > 0 ? [`${formatCount(progress.failing)} failing`] : []),
    ...(blocked ? ['blocked'] : []),
    ...(ratePerSecond === null ? [] : [`${formatRate(ratePerSecond)} items/s`]),
    ...(estimate ? [`expected to finish about ${formatTime(estimate.completesAt)} UTC`] : []),
  ].join(', ');
}

/** Describes a batch that an earlier upload of the same content has created; `again` is the option for another one. */
export const describeRepeat = (
  { id, state, times }: Pick<BatchView, 'id' | 'state' | 'times'>,
  again: string,
): string =>
  `Already accepted at ${formatTime(times.accepted)} UTC as batch ${id}: ${state}. It is not processed twice; ${again} submits it as a new batch.`;

/** Describes the latest failure in a running chunk in one line; undefined if there is none. */
export const describeFailure = ({ progress }: Pick<ShownBatch, 'progress'>): string | undefined =>
  progress?.latestError && `Latest failure: ${progress.latestError}`;

/**
 * Describes in one line why a batch is paused, blocked or late; undefined if it is not. Without its place in the queue,
 * which changes all the time.
 */
export const describeTrouble = ({ notes = [] }: Pick<ShownBatch, 'notes'>): string | undefined =>
  notes.flatMap(({ tone, text }) => (tone === 'info' ? [] : [sentence(text)]))[0];

/** Describes in one line how to continue or cancel a paused batch; undefined for any other state. */
export const describeChoice = ({ id, state }: Pick<ShownBatch, 'id' | 'state'>): string | undefined =>
  state === 'paused' ? `To continue: sluice resume ${id}; to cancel: sluice cancel ${id}` : undefined;

/** The server writes its notes without a capital letter, because they also stand in the middle of a line. */
const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Describes the counts, running items, latency, deadline, latest redrive and operations of a batch. */
export function describeBatch(batch: ShownBatch): string[] {
  const { state, counts, latencyMs, receipt, deadline, producer, notes = [] } = batch;
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
    `State: ${state}${batch.blocked ? ', blocked' : ''}`,
    ...(producer === undefined ? [] : [`Producer: ${producer}`]),
    ...describeSuspect(batch),
    `Items: ${items.join(', ')}`,
    ...(batch.hint === undefined ? [] : [batch.hint]),
    ...notes.map(({ text }) => sentence(text)),
    ...[describeRunning(batch), describeFailure(batch), describeEstimate(batch)].filter((line) => line !== undefined),
    ...(latency ? [`Latency from acceptance to completion: ${latency.join(', ')}`] : []),
    ...(deadline.met === false ? [`Deadline missed: ${formatTime(deadline.at)} UTC`] : []),
    ...describeRedrive(batch),
    ...(receipt ? describeOperations(receipt) : []),
  ];
}

function describeRunning({ progress }: ShownBatch): string | undefined {
  if (!progress) return undefined;
  const { chunks, items, ended, inFlight, failing } = progress;
  const counts = `${formatCount(ended)} finished, ${formatCount(inFlight)} in flight, ${formatCount(failing)} failing`;
  return `Running: ${formatNumber(chunks, 'chunk')} with ${formatNumber(items, 'item')}: ${counts}`;
}

const describeEstimate = ({ estimate }: ShownBatch): string | undefined =>
  estimate && `Expected to finish about ${formatTime(estimate.completesAt)} UTC: ${estimate.basis}`;

function describeSuspect({ suspect }: Pick<ShownBatch, 'suspect'>): string[] {
  if (suspect === undefined) return [];
  return [
    `Suspect: ${suspect.verdict}`,
    ...suspect.causes.flatMap(({ cause, count, example }) => [
      `  ${formatNumber(count, 'item')}: ${cause}`,
      ...(example === undefined
        ? []
        : [`    for example at position ${formatCount(example.position)}: ${example.message}`]),
    ]),
    suspect.hint,
    `To see the details: ${suspect.command}`,
  ];
}

/** Describes the latest redrive or discard with its duration: the latency above is that of the upload. */
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
