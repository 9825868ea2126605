import { type QueueEvent, readEvent, type SluiceEvent } from '../../contract/events.ts';
import { WAKE_EXECUTION } from '../../cost/executions.ts';
import { timesOperations } from '../../cost/times-operations.ts';
import { toError } from '../../errors.ts';
import { log } from '../../telemetry/log.ts';
import { countWake } from '../../telemetry/metrics.ts';
import { withSpan } from '../../telemetry/trace.ts';
import type { QueueAddress, Registry } from '../../workload/registry.ts';
import { type GateDeps, wake } from '../gate/gate.ts';
import type { Spending } from '../gate/spending.ts';
import type { Coalesce } from './coalesce.ts';

export interface EventsDeps {
  registry: Registry;
  /** undefined: all pools are ours. */
  pool: string | undefined;
  account: () => string;
  /** Of this process, by queue: events that come close together need one write of the gate. */
  coalesce: Coalesce;
  spending: Pick<Spending, 'add'>;
}

/**
 * Handles a delivery of wake events: each queue named is woken once. Events of other accounts, pools or queues, and
 * bodies that are no event, cause no storage operation: a subscription without its filter must not cost anything.
 */
export async function onEvents(deps: EventsDeps, bodies: unknown[], gate: () => GateDeps): Promise<void> {
  const queues = new Map<string, QueueEvent[]>();
  for (const event of bodies.flatMap((body) => wakeOf(deps, body))) {
    queues.set(event.queue, [...(queues.get(event.queue) ?? []), event]);
    deps.spending.add(event.queue, { 'servicebus.receive': 1 });
  }
  // One execution for all of them.
  const execution = timesOperations(WAKE_EXECUTION, 1 / queues.size);
  for (const queue of queues.keys()) deps.spending.add(queue, execution);
  await Promise.all(
    [...queues].map(([queue, events]) => deps.coalesce(queue, () => wakeQueue(deps, gate(), { queue, events }))),
  );
}

/** Of several events about a queue the first one's trace is shown waking it. */
const wakeQueue = (
  { registry }: EventsDeps,
  gate: GateDeps,
  { queue, events }: { queue: string; events: readonly QueueEvent[] },
): Promise<void> => {
  const options = { parent: events[0]?.traceparent, attributes: { 'sluice.queue': queue } };
  return withSpan('sluice.wake', { kind: 'consumer', ...options }, async (span) => {
    const result = await wake(gate, queue, putBy(registry.queue(queue), events));
    span.setAttribute('sluice.result', result);
    countWake(queue, result);
    log.debug('woken', { queue, result });
  });
};

/**
 * How many references the events say that they put, if each put what fits into one chunk: as many as there are events. It may be
 * more, as of retries, which the next wave finds. Undefined if an event put more than that, or does not say.
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

/** A body that cannot be read would come again and again; it is logged once, and dropped: the sweep finds what it meant. */
function eventOf(body: unknown): SluiceEvent | undefined {
  try {
    return readEvent(body);
  } catch (error) {
    log.warn('event-not-read', { error: toError(error) });
    return undefined;
  }
}
