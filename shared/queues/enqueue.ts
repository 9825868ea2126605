/** Puts references: at intake, for follow-ups of an outcome, and again if one was lost. */

import type { ChunkRow, ChunkRows } from '../batches/chunk-row.ts';
import { MAX_DELAY_SECONDS } from '../contract/queue-limits.ts';
import type { Reference } from '../contract/reference.ts';
import type { Labels } from '../contract/text/labels.ts';
import { isRefused } from '../errors.ts';
import { labelled, type WorkPut } from '../events/publish.ts';
import { recordDue } from '../gate/gate-notes.ts';
import { forEachInParallel, inParallel } from '../parallel.ts';
import { log } from '../telemetry/log.ts';
import { putMessage, type Queue } from './messages.ts';
import { type QueueChoice, queueOf } from './queue-of.ts';
import type { Services } from './services.ts';

/** Puts that one caller runs in parallel; a queue accepts 2,000 per second (source: Microsoft Learn). */
const PUTS_AT_ONCE = 16;

export type EnqueueDeps = Pick<Services, 'queues' | 'registry' | 'publish' | 'gate' | 'needsWake'>;

/** The fields of a batch that determine the queues and events of its references. */
export interface EnqueueTarget extends QueueChoice {
  id: string;
  workload: string;
  labels?: Labels | undefined;
  resumes?: number | undefined;
  traceparent?: string | undefined;
}

export interface EnqueueOptions {
  /** Marks the references as sent again. */
  resent?: boolean;
  /** Whether the rows belong to an upload, whose queues may need a wake only from a given depth on. Default: false. */
  isUpload?: boolean;
}

/**
 * Puts the references of pending rows, then wakes each affected queue once. If references are delayed, first records in
 * the gate when they are due, so that a drain which finds them invisible knows how long to park.
 */
export async function enqueue(
  deps: EnqueueDeps,
  batch: EnqueueTarget,
  rows: ChunkRows,
  options: EnqueueOptions = {},
): Promise<void> {
  const workload = deps.registry.workload(batch.workload);
  if (!workload) return;
  const queues = new Map<string, Touched>();
  await forEachInParallel(rows, PUTS_AT_ONCE, async (row) => {
    const queue = queueOf(workload, batch, row.chunk);
    const delay = delaySeconds(deps, row);
    if (!(await putReference(deps.queues(queue), referenceOf(row, batch, options), delay))) return;
    recordPut(queues, queue, row, delay > 0);
  });
  // At the same time: while the topic is unavailable, each send takes half a minute, and a request has less than four minutes.
  await inParallel([...queues], queues.size, async ([queue, { items, payloadBytes, due }]) => {
    if (due.length > 0) await recordDue(deps.gate.table, queue, due);
    const address = deps.registry.queue(queue);
    const { id, traceparent, labels } = batch;
    const trace = traceparent === undefined ? {} : { traceparent };
    const event = { type: 'QueueWorkDetected', batch: id, ...labelled(labels), items, payloadBytes, ...trace } as const;
    const isWoken = options.isUpload !== true || (await deps.needsWake(queue));
    if (address && isWoken) await deps.publish(address, event);
  });
}

const referenceOf = (
  { reference }: ChunkRow,
  { resumes }: EnqueueTarget,
  { resent = false }: { resent?: boolean },
): Reference => ({ ...reference, ...(resent ? { resent } : {}), ...(resumes === undefined ? {} : { resumes }) });

/** A reference that the service refuses must not hold up the others. Its row stays pending, and the sweep puts it again after an hour without progress, once the queue is empty. */
async function putReference(queue: Queue, reference: Reference, delay: number): Promise<boolean> {
  try {
    await putMessage(queue, reference, delay);
    return true;
  } catch (error) {
    if (!isRefused(error)) throw error;
    const { batch, chunk } = reference;
    log.error('message-refused', { queue: queue.name, batch, chunk, error });
    return false;
  }
}

/** Limited by the service: what is due later arrives early, and is delayed again. */
const delaySeconds = ({ gate }: EnqueueDeps, { dueAt }: ChunkRow): number =>
  dueAt === undefined ? 0 : Math.min(MAX_DELAY_SECONDS, Math.max(0, (Date.parse(dueAt) - gate.now()) / 1000));

/** The work that was put into a queue, and the due times of its delayed references. */
interface Touched extends WorkPut {
  due: string[];
}

function recordPut(queues: Map<string, Touched>, queue: string, row: ChunkRow, isDelayed: boolean): void {
  const touched = queues.get(queue) ?? { items: 0, payloadBytes: 0, due: [] };
  queues.set(queue, touched);
  touched.items += row.items;
  touched.payloadBytes += row.reference.bytes;
  if (isDelayed && row.dueAt) touched.due.push(row.dueAt);
}
