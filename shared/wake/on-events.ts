import { readEvent, type SluiceEvent } from '../contract/events.ts';
import { toError } from '../errors.ts';
import { log } from '../telemetry/log.ts';
import type { Registry } from '../workload/registry.ts';
import { type GateDeps, wake } from './gate.ts';

export interface EventsDeps {
  registry: Registry;
  /** undefined: all pools are ours. */
  pool: string | undefined;
  account: () => string;
}

/**
 * Handles a delivery of wake events: each queue named is woken once. Events of other accounts, pools or queues, and
 * bodies that are no event, cause no storage operation: a subscription without its filter must not cost anything.
 */
export async function onEvents(deps: EventsDeps, bodies: unknown[], gate: () => GateDeps): Promise<void> {
  const queues = new Set(bodies.flatMap((body) => queueOf(deps, body)));
  for (const queue of queues) log.debug('woken', { queue, result: await wake(gate(), queue) });
}

function queueOf(deps: EventsDeps, body: unknown): string[] {
  const event = eventOf(body);
  if (event?.type !== 'QueueWorkDetected' || event.account !== deps.account()) return [];
  const address = deps.registry.queue(event.queue);
  if (!address || (deps.pool !== undefined && address.workload.pool !== deps.pool)) return [];
  return [event.queue];
}

/** A body that cannot be read would come again and again; it is told once, and let go: the sweep finds what it meant. */
function eventOf(body: unknown): SluiceEvent | undefined {
  try {
    return readEvent(body);
  } catch (error) {
    log.warn('event-not-read', { error: toError(error) });
    return undefined;
  }
}
