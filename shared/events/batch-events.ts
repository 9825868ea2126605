/** The events about a batch. Message ids follow from the content, so that a repeat can be dropped. */
import type { ReportedOutcome } from '../batches/apply/plan-apply.ts';
import type { BatchRow } from '../batches/batch-row.ts';
import { sumCauses } from '../batches/causes.ts';
import type { DeadlineRisk } from '../batches/progress/deadline-risk.ts';
import type { DetailsOf } from '../contract/event-types.ts';
import type { QueueEvent } from '../contract/events.ts';
import { digestOf } from '../contract/frame.ts';
import { revisionOf } from '../contract/names.ts';
import { log } from '../telemetry/log.ts';
import type { QueueAddress } from '../workload/registry.ts';
import { labelled, type Publish } from './publish.ts';

export interface BatchEventDeps {
  publish: Publish;
  /** The address of a batch's first queue, for events about the batch; undefined for a workload that is not deployed. */
  addressOf: (batch: BatchRow) => QueueAddress | undefined;
}

type BatchEventName = Exclude<QueueEvent['type'], 'QueueWorkDetected' | 'QueueEmpty'>;

export type BatchEvent = {
  [T in BatchEventName]: { type: T; items: number; details: DetailsOf<T>; messageId: string };
}[BatchEventName];

/** Publishes an event about a batch, with its labels. Publishes nothing if the workload is no longer deployed. */
export async function publishBatchEvent(
  { publish, addressOf }: BatchEventDeps,
  batch: BatchRow,
  { messageId, ...event }: BatchEvent,
): Promise<void> {
  const address = addressOf(batch);
  if (address) await publish(address, { ...event, batch: batch.id, ...labelled(batch.labels) }, { messageId });
}

/**
 * Publishes one event per result message with dead letters, before the message is deleted: after a crash the message is
 * delivered again. The chunks that a message ended are the same at each delivery, so repeats have the same id and content.
 */
export async function publishDeadLetters(
  deps: BatchEventDeps,
  batch: BatchRow,
  recorded: ReportedOutcome[],
): Promise<void> {
  const dead = recorded.filter(({ header }) => header.counts.dead > 0);
  for (const outcomes of Map.groupBy(dead, ({ message }) => message).values()) {
    const count = sum(outcomes, 'dead');
    log.warn('items-dead-lettered', { batch: batch.id, workload: batch.workload, count });
    const details = { count, causes: Object.fromEntries(sumCauses(outcomes.map(({ header }) => header))) };
    const [first] = outcomes.map(({ chunk }) => chunk).sort();
    const messageId = `dead-${batch.id}-${first}`;
    await publishBatchEvent(deps, batch, { type: 'ItemsDeadLettered', items: count, details, messageId });
  }
}

/**
 * Publishes that the results of these chunks can be read. Publishes nothing if none of them has results. After a crash
 * the messages may be collected together with others: then the event contains more or fewer chunks, and has another id.
 */
export async function publishResultsReady(
  deps: BatchEventDeps,
  batch: BatchRow,
  recorded: ReportedOutcome[],
): Promise<void> {
  const outcomes = recorded.filter(({ header }) => header.counts.succeeded > 0);
  const chunks = outcomes.map(({ chunk }) => chunk).sort();
  const newest = chunks.at(-1);
  if (newest === undefined) return;
  const [succeeded, dead] = [sum(outcomes, 'succeeded'), sum(outcomes, 'dead')];
  const items = succeeded + dead + sum(outcomes, 'cancelled');
  const details = { chunks, succeeded, dead, revision: revisionOf(newest) };
  const hash = digestOf(Buffer.from(chunks.join('\n'))).slice('sha256:'.length, 'sha256:'.length + 32);
  const messageId = `results-${batch.id}-${hash}`;
  await publishBatchEvent(deps, batch, { type: 'ResultsReady', items, details, messageId });
}

/** Publishes that a batch is paused, who paused it, and why. */
export async function publishPaused(deps: BatchEventDeps, batch: BatchRow): Promise<void> {
  const { id, revision, revisionItems: items, resumes = 0, paused } = batch;
  const details = { by: paused?.by, reason: paused?.reason, revision };
  const messageId = `paused-${id}-${revision}-${resumes}`;
  await publishBatchEvent(deps, batch, { type: 'BatchPaused', items, details, messageId });
}

/** Publishes that a batch was resumed, and how long its revision has been paused in total. */
export async function publishResumed(deps: BatchEventDeps, batch: BatchRow): Promise<void> {
  const { id, revision, revisionItems: items, resumes = 0, pausedMs = 0 } = batch;
  const details = { revision, pausedSeconds: pausedMs / 1000 };
  const messageId = `resumed-${id}-${revision}-${resumes}`;
  await publishBatchEvent(deps, batch, { type: 'BatchResumed', items, details, messageId });
}

/** Publishes that a batch is likely to miss its deadline, and logs it for the alert. */
export async function publishRisk(deps: BatchEventDeps, batch: BatchRow, risk: DeadlineRisk): Promise<void> {
  const { id, workload, revision, revisionItems: items } = batch;
  log.warn('deadline-at-risk', { batch: id, workload, ...risk });
  const messageId = `at-risk-${id}-${revision}`;
  await publishBatchEvent(deps, batch, { type: 'DeadlineAtRisk', items, details: { ...risk }, messageId });
}

const sum = (outcomes: ReportedOutcome[], name: 'succeeded' | 'dead' | 'cancelled'): number =>
  outcomes.reduce((total, { header }) => total + header.counts[name], 0);
