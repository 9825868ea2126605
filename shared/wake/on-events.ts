import { type QueueEvent, readEvent, type SluiceEvent } from '../contract/events.ts';
import { timesOperations } from '../cost/counts.ts';
import { WAKE_EXECUTION } from '../cost/executions.ts';
import { toError } from '../errors.ts';
import { log } from '../telemetry/log.ts';
import { countWake } from '../telemetry/metrics.ts';
import { withSpan } from '../telemetry/trace.ts';
import type { Registry } from '../workload/registry.ts';
import type { Coalesce } from './coalesce.ts';
import { type GateDeps, wake } from './gate.ts';
import type { Spending } from './spending.ts';

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
  const queues = new Map<string, string | undefined>();
  for (const { queue, traceparent } of bodies.flatMap((body) => wakeOf(deps, body))) {
    // Of several events about a queue the first one's trace is shown waking it.
    if (!queues.has(queue)) queues.set(queue, traceparent);
    deps.spending.add(queue, { 'servicebus.receive': 1 });
  }
  // One execution for all of them.
  const execution = timesOperations(WAKE_EXECUTION, 1 / queues.size);
  for (const queue of queues.keys()) deps.spending.add(queue, execution);
  await Promise.all([...queues].map(([queue, parent]) => deps.coalesce(queue, () => wakeQueue(gate(), queue, parent))));
}

const wakeQueue = (gate: GateDeps, queue: string, parent: string | undefined): Promise<void> =>
  withSpan('sluice.wake', { parent, kind: 'consumer', attributes: { 'sluice.queue': queue } }, async (span) => {
    const result = await wake(gate, queue);
    span.setAttribute('sluice.result', result);
    countWake(queue, result);
    log.debug('woken', { queue, result });
  });

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
