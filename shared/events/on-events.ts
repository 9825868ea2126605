import { type QueueEvent, readEvent, type SluiceEvent } from '../contract/events.ts';
import { toError } from '../errors.ts';
import { log } from '../telemetry/log.ts';
import { countWake } from '../telemetry/metrics.ts';
import { withSpan } from '../telemetry/trace.ts';
import type { QueueAddress, Registry } from '../workload/registry.ts';
import type { Coalesce } from './coalesce.ts';

export interface EventsDeps {
  registry: Registry;
  /** The pool of this app; undefined if it serves all pools. */
  pool: string | undefined;
  account: () => string;
  /** Shared by all deliveries of this process: events for one queue that come close together need one write of its gate. */
  coalesce: Coalesce;
}

/** Wakes a queue, to which `put` references were added if that is known. Returns what the wake did, for logs and metrics. */
export type Wake = (queue: string, put?: number) => Promise<string>;

/**
 * Handles a delivery of wake events: wakes each queue that they contain once. Events of other accounts, pools or
 * queues, and bodies that are not events, cause no storage operation: a subscription that has lost its filter must not
 * cause costs.
 */
export async function onEvents(deps: EventsDeps, bodies: unknown[], wake: Wake): Promise<void> {
  const queues = new Map<string, QueueEvent[]>();
  for (const event of bodies.flatMap((body) => wakeOf(deps, body))) {
    queues.set(event.queue, [...(queues.get(event.queue) ?? []), event]);
  }
  await Promise.all(
    [...queues].map(([queue, events]) => deps.coalesce(queue, () => wakeQueue(deps, wake, { queue, events }))),
  );
}

/** Of several events about a queue, the trace of the first one shows the wake. */
const wakeQueue = (
  { registry }: EventsDeps,
  wake: Wake,
  { queue, events }: { queue: string; events: readonly QueueEvent[] },
): Promise<void> => {
  const options = { parent: events[0]?.traceparent, attributes: { 'sluice.queue': queue } };
  return withSpan('sluice.wake', { kind: 'consumer', ...options }, async (span) => {
    const result = await wake(queue, putBy(registry.queue(queue), events));
    span.setAttribute('sluice.result', result);
    countWake(queue, result);
    log.debug('woken', { queue, result });
  });
};

/**
 * Returns how many references the events have put if each of them put at most one chunk: the number of events. If one
 * put more references, as with retries, the next wave finds them. Undefined if an event put more than fits into one
 * chunk, or does not contain the amount.
 */
function putBy(address: QueueAddress | undefined, events: readonly QueueEvent[]): number | undefined {
  if (address?.kind !== 'items') return undefined;
  const { maxItems, maxBytes } = address.workload.chunk;
  const isOne = ({ items = 0, payloadBytes = 0 }: QueueEvent): boolean =>
    items > 0 && items <= maxItems && payloadBytes <= maxBytes;
  return events.every(isOne) ? events.length : undefined;
}

function wakeOf(deps: EventsDeps, body: unknown): QueueEvent[] {
  const event = eventOf(body);
  if (event?.type !== 'QueueWorkDetected' || event.account !== deps.account()) return [];
  const address = deps.registry.queue(event.queue);
  if (!address || (deps.pool !== undefined && address.workload.pool !== deps.pool)) return [];
  return [event];
}

/** Logs an unreadable body and drops it: it would be delivered again and again, and the sweep finds the work. */
function eventOf(body: unknown): SluiceEvent | undefined {
  try {
    return readEvent(body);
  } catch (error) {
    log.warn('event-not-read', { error: toError(error) });
    return undefined;
  }
}
