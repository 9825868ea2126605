/**
 * Collecting a small batch where its last chunks have run: their ends go into the ledger at once, without a result message,
 * a wake and a drain of the result queue. The reference stays in its queue until the batch is collected, so that it does for
 * a crash what the result message does elsewhere: it comes again, finds the stored outcome, and has it collected again.
 */
import type { ChunkEnd } from '../../batches/apply/plan-apply.ts';
import type { ApplyRead } from '../../batches/apply/read-for-apply.ts';
import { addOperations, type Operations, subtractOperations } from '../../contract/operations.ts';
import { timesOperations } from '../../cost/counts.ts';
import type { Meter } from '../../cost/meter.ts';
import { isOutage, toError } from '../../errors.ts';
import { inParallel } from '../../parallel.ts';
import { log } from '../../telemetry/log.ts';
import type { GateDeps } from '../../wake/gate/gate.ts';
import type { QueueAddress } from '../../workload/registry.ts';
import type { Lease } from '../lease.ts';
import { FAULT_RETRY_SECONDS, returnMessage } from '../return-message.ts';
import { type ChunkDisposition, type EndedReference, handlerOperations } from './publish-results.ts';

/** Batches collected at once; each has a partition of its own, so they do not get in each other's way. */
const BATCHES_AT_ONCE = 8;

/**
 * Applies ends to the ledger, with all that follows from them up to the end of the batch. May be repeated. Throws what
 * storage or the topic throws.
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

/** What a round has to report, and what that took. */
export interface RoundPart {
  waiting: readonly EndedReference[];
  operations: Operations;
}

interface CollectOptions {
  lease: Lease;
  /** The drain. */
  generation: number;
}

type Ended = EndedReference & { disposition: Exclude<ChunkDisposition, string> };

const isEnded = (each: EndedReference): each is Ended => typeof each.disposition === 'object';

/**
 * Collects the batches that have nothing pending but what `part` has ended, deletes their references, and gives the rest,
 * which is reported as ever. A batch that meets a fault is left to the next delivery of its references: after an outage they
 * return to the queue for some seconds, else they stay hidden until their visibility timeout.
 */
export async function collectHere(
  deps: CollectHereDeps,
  { queue }: Pick<QueueAddress, 'queue'>,
  part: RoundPart,
  { lease, generation }: CollectOptions,
): Promise<RoundPart> {
  const ended = part.waiting.filter(isEnded);
  const whole = [...byBatch(ended)].filter(([, own]) => isWhole(own));
  if (whole.length === 0) return part;
  const share = timesOperations(part.operations, 1 / ended.length);
  await inParallel(whole, BATCHES_AT_ONCE, async ([batch, own]) => {
    const drain = { queue, generation };
    const ends = own.map((each) => endOf(each, { operations: share, drain }));
    try {
      // On its own, so that what is done for a batch is charged to that one.
      const read = own.length === 1 ? own[0]?.disposition.read : undefined;
      await deps.meter.measure(() => deps.collectEnds(batch, { ends, traceparents: own.map(traceOf), read }));
    } catch (error) {
      if (!isOutage(error)) return log.error('collect-failed', { batch, error: toError(error) });
      log.warn('collect-deferred', { batch, error: toError(error) });
      // With their content as it was: the next delivery then counts as a repeated one, and looks for the stored outcome.
      const soon = { address: { queue }, lease, content: undefined, seconds: FAULT_RETRY_SECONDS };
      await Promise.all(own.map(({ entry }) => returnMessage(deps, entry, soon)));
      return;
    }
    // The meter of this thread has not seen those of the handlers.
    for (const [index, { operations = {} }] of ends.entries())
      deps.meter.record(subtractOperations(operations, handlerOperations(own[index]?.disposition ?? 'returned')));
    await Promise.all(own.map(({ entry }) => lease.finish(entry.message.messageId)));
  });
  const collected = new Set<EndedReference>(whole.flatMap(([, own]) => own));
  const rest = part.waiting.filter((each) => !collected.has(each));
  return { waiting: rest, operations: timesOperations(share, ended.length - collected.size) };
}

function byBatch(ended: readonly Ended[]): Map<string, Ended[]> {
  const batches = new Map<string, Ended[]>();
  for (const each of ended) {
    const { batch } = each.disposition.end;
    batches.set(batch, [...(batches.get(batch) ?? []), each]);
  }
  return batches;
}

/** As the batch was read when its first chunk began: where that is out of date, the ends are reported as ever. */
const isWhole = (own: readonly Ended[]): boolean => {
  const chunks = new Set(own.map(({ disposition }) => disposition.end.chunk));
  return own.every(({ disposition: { pending } }) => pending !== undefined && pending <= chunks.size);
};

/** By the id of its message, which every delivery of it has: the ledger knows a repeat by it. */
function endOf(
  { entry, disposition }: Ended,
  { operations, drain }: { operations: Operations; drain: NonNullable<ChunkEnd['drain']> },
): ChunkEnd {
  const { chunk, header } = disposition.end;
  const own = [operations, handlerOperations(disposition), DELETED].reduce(addOperations);
  return { chunk, header, message: entry.message.messageId, operations: own, drain };
}

/** The reference, after all else: that cannot be counted in the ledger. */
const DELETED: Operations = { 'queue.delete': 1 };

const traceOf = ({ entry: { value } }: Ended): string | undefined =>
  typeof value === 'object' && value !== null && 'traceparent' in value ? String(value.traceparent) : undefined;
