/**
 * Collects a small batch where its last chunks have run: their outcomes are written to the ledger immediately, without a
 * result message, a wake event and a drain of the result queue. The reference stays in its queue until the batch is
 * collected. After a crash, it replaces the result message: it is delivered again, its stored outcome is found, and the
 * batch is collected again.
 */
import type { ReportedOutcome } from '../../batches/apply/plan-apply.ts';
import type { ApplyRead } from '../../batches/apply/read-for-apply.ts';
import { isOutage, toError } from '../../errors.ts';
import type { GateDeps } from '../../gate/gate.ts';
import { inParallel } from '../../parallel.ts';
import { log } from '../../telemetry/log.ts';
import type { QueueAddress } from '../../workload/registry.ts';
import type { Lease } from '../lease.ts';
import { FAULT_RETRY_SECONDS, returnMessage } from '../return-message.ts';
import type { ChunkDisposition, DisposedReference } from './publish-results.ts';

/** Maximum number of batches that are collected at the same time. Each has a separate partition, so they do not conflict. */
const BATCHES_AT_ONCE = 8;

/** Applies outcomes to the ledger, up to the end of the batch. May be repeated. Throws errors of storage and topic. */
export type CollectOutcomes = (
  batch: string,
  work: { outcomes: ReportedOutcome[]; traceparents: (string | undefined)[]; read?: ApplyRead | undefined },
) => Promise<void>;

export interface CollectHereDeps {
  collectOutcomes: CollectOutcomes;
  gate: Pick<GateDeps, 'table' | 'now'>;
}

type Reported = DisposedReference & { disposition: Exclude<ChunkDisposition, string> };

const isReported = (each: DisposedReference): each is Reported => typeof each.disposition === 'object';

/**
 * Collects the batches of which only chunks in `waiting` were pending, deletes their references, and returns the rest, which
 * is reported as usual. If a batch cannot be collected, the next delivery of its references repeats it. After an outage,
 * they return to the queue in some seconds; otherwise, they stay hidden until their visibility timeout.
 */
export async function collectHere(
  deps: CollectHereDeps,
  { queue }: Pick<QueueAddress, 'queue'>,
  waiting: readonly DisposedReference[],
  lease: Lease,
): Promise<readonly DisposedReference[]> {
  const whole = [...byBatch(waiting.filter(isReported))].filter(([, ofBatch]) => isWhole(ofBatch));
  const { failed, deferred } = await collectEach(whole, (batch, ofBatch) => {
    const read = ofBatch.length === 1 ? ofBatch[0]?.disposition.read : undefined;
    return deps.collectOutcomes(batch, { outcomes: ofBatch.map(reportedOf), traceparents: ofBatch.map(traceOf), read });
  });
  // Their content does not change: the next delivery then counts as a repeated one, and looks for the stored outcome.
  const soon = { address: { queue }, lease, content: undefined, seconds: FAULT_RETRY_SECONDS };
  const finishReference = async (batch: string, { entry }: Reported): Promise<void> => {
    if (deferred.has(batch)) await returnMessage(deps, entry, soon);
    else if (!failed.has(batch)) await lease.delete(entry.message.messageId);
  };
  await Promise.all(whole.flatMap(([batch, ofBatch]) => ofBatch.map((each) => finishReference(batch, each))));
  const collected = new Set<DisposedReference>(whole.flatMap(([, ofBatch]) => ofBatch));
  return waiting.filter((each) => !collected.has(each));
}

/**
 * Collects all batches. `failed`: ids of the batches that could not be collected; their messages stay and are delivered
 * again. `deferred`: those of them that failed because of an outage, which probably passes soon.
 */
export async function collectEach<W>(
  works: Iterable<[batch: string, work: W]>,
  collect: (batch: string, work: W) => Promise<void>,
): Promise<{ failed: ReadonlySet<string>; deferred: ReadonlySet<string> }> {
  const failed = new Set<string>();
  const deferred = new Set<string>();
  await inParallel([...works], BATCHES_AT_ONCE, async ([batch, work]) => {
    try {
      await collect(batch, work);
    } catch (error) {
      failed.add(batch);
      if (isOutage(error)) {
        deferred.add(batch);
        log.warn('collect-deferred', { batch, error: toError(error) });
      } else log.error('collect-failed', { batch, error: toError(error) });
    }
  });
  return { failed, deferred };
}

function byBatch(reported: readonly Reported[]): Map<string, Reported[]> {
  const batches = new Map<string, Reported[]>();
  for (const each of reported) {
    const { batch } = each.disposition.done;
    batches.set(batch, [...(batches.get(batch) ?? []), each]);
  }
  return batches;
}

/** Uses the batch as it was read when its first chunk began. If that is out of date, the outcomes are reported as usual. */
const isWhole = (ofBatch: readonly Reported[]): boolean => {
  const chunks = new Set(ofBatch.map(({ disposition }) => disposition.done.chunk));
  return ofBatch.every(({ disposition: { pending } }) => pending !== undefined && pending <= chunks.size);
};

/** Identifies the outcome by the id of its message, which all deliveries share: the ledger recognizes a repeat by it. */
const reportedOf = ({ entry, disposition: { done } }: Reported): ReportedOutcome => ({
  chunk: done.chunk,
  header: done.header,
  message: entry.message.messageId,
});

const traceOf = ({ entry: { value } }: Reported): string | undefined =>
  typeof value === 'object' && value !== null && 'traceparent' in value ? String(value.traceparent) : undefined;
