/**
 * Collects a small batch where its last chunks have run: their ends are written to the ledger immediately, without a
 * result message, a wake event and a drain of the result queue. The reference stays in its queue until the batch is
 * collected. After a crash, it replaces the result message: it is delivered again, its stored outcome is found, and the
 * batch is collected again.
 */
import type { ChunkEnd } from '../../batches/apply/plan-apply.ts';
import type { ApplyRead } from '../../batches/apply/read-for-apply.ts';
import { addOperations, type Operations, subtractOperations } from '../../contract/operations.ts';
import type { Meter } from '../../cost/meter.ts';
import { timesOperations } from '../../cost/times-operations.ts';
import { isOutage, toError } from '../../errors.ts';
import type { GateDeps } from '../../gate/gate.ts';
import { inParallel } from '../../parallel.ts';
import { log } from '../../telemetry/log.ts';
import type { QueueAddress } from '../../workload/registry.ts';
import type { Lease } from '../lease.ts';
import { FAULT_RETRY_SECONDS, returnMessage } from '../return-message.ts';
import { type ChunkDisposition, type DisposedReference, handlerOperations } from './publish-results.ts';

/** Maximum number of batches that are collected at the same time. Each has a separate partition, so they do not conflict. */
const BATCHES_AT_ONCE = 8;

/**
 * Applies ends to the ledger, with everything that follows from them up to the end of the batch. May be repeated. Throws
 * the errors of storage and of the topic.
 */
export type CollectEnds = (
  batch: string,
  work: { ends: ChunkEnd[]; traceparents: (string | undefined)[]; read?: ApplyRead | undefined },
) => Promise<void>;

export interface CollectHereDeps {
  collectEnds: CollectEnds;
  meter: Pick<Meter, 'measure' | 'record'>;
  gate: Pick<GateDeps, 'table' | 'now'>;
}

/** The references that a round must report, and the operations that they took. */
export interface RoundPart {
  waiting: readonly DisposedReference[];
  operations: Operations;
}

interface CollectOptions {
  lease: Lease;
  /** Generation of the drain. */
  generation: number;
}

type Reported = DisposedReference & { disposition: Exclude<ChunkDisposition, string> };

const isReported = (each: DisposedReference): each is Reported => typeof each.disposition === 'object';

/**
 * Collects the batches of which only chunks in `part` were pending, deletes their references, and returns the rest, which
 * is reported as usual. If a batch cannot be collected, the next delivery of its references repeats it. After an outage,
 * they return to the queue in some seconds; otherwise, they stay hidden until their visibility timeout.
 */
export async function collectHere(
  deps: CollectHereDeps,
  { queue }: Pick<QueueAddress, 'queue'>,
  part: RoundPart,
  { lease, generation }: CollectOptions,
): Promise<RoundPart> {
  const reported = part.waiting.filter(isReported);
  const whole = [...byBatch(reported)].filter(([, own]) => isWhole(own));
  if (whole.length === 0) return part;
  const share = timesOperations(part.operations, 1 / reported.length);
  await inParallel(whole, BATCHES_AT_ONCE, async ([batch, own]) => {
    const drain = { queue, generation };
    const ends = own.map((each) => endOf(each, { operations: share, drain }));
    try {
      // Measured separately, so that the operations for a batch are charged to that batch.
      const read = own.length === 1 ? own[0]?.disposition.read : undefined;
      await deps.meter.measure(() => deps.collectEnds(batch, { ends, traceparents: own.map(traceOf), read }));
    } catch (error) {
      if (!isOutage(error)) return log.error('collect-failed', { batch, error: toError(error) });
      log.warn('collect-deferred', { batch, error: toError(error) });
      // Their content does not change: the next delivery then counts as a repeated one, and looks for the stored outcome.
      const soon = { address: { queue }, lease, content: undefined, seconds: FAULT_RETRY_SECONDS };
      await Promise.all(own.map(({ entry }) => returnMessage(deps, entry, soon)));
      return;
    }
    // The meter of this thread has not counted the operations of the handlers.
    for (const [index, { operations = {} }] of ends.entries())
      deps.meter.record(subtractOperations(operations, handlerOperations(own[index]?.disposition ?? 'returned')));
    await Promise.all(own.map(({ entry }) => lease.delete(entry.message.messageId)));
  });
  const collected = new Set<DisposedReference>(whole.flatMap(([, own]) => own));
  const rest = part.waiting.filter((each) => !collected.has(each));
  return { waiting: rest, operations: timesOperations(share, reported.length - collected.size) };
}

function byBatch(reported: readonly Reported[]): Map<string, Reported[]> {
  const batches = new Map<string, Reported[]>();
  for (const each of reported) {
    const { batch } = each.disposition.end;
    batches.set(batch, [...(batches.get(batch) ?? []), each]);
  }
  return batches;
}

/** Uses the batch as it was read when its first chunk began. If that is out of date, the ends are reported as usual. */
const isWhole = (own: readonly Reported[]): boolean => {
  const chunks = new Set(own.map(({ disposition }) => disposition.end.chunk));
  return own.every(({ disposition: { pending } }) => pending !== undefined && pending <= chunks.size);
};

/** Identifies the end by the id of its message, which all deliveries share: the ledger recognizes a repeat by it. */
function endOf(
  { entry, disposition }: Reported,
  { operations, drain }: { operations: Operations; drain: NonNullable<ChunkEnd['drain']> },
): ChunkEnd {
  const { chunk, header } = disposition.end;
  const own = [operations, handlerOperations(disposition), DELETED].reduce(addOperations);
  return { chunk, header, message: entry.message.messageId, operations: own, drain };
}

/** The deletion of the reference. It comes last, so the ledger counts it in advance. */
const DELETED: Operations = { 'queue.delete': 1 };

const traceOf = ({ entry: { value } }: Reported): string | undefined =>
  typeof value === 'object' && value !== null && 'traceparent' in value ? String(value.traceparent) : undefined;
