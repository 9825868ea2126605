import { join } from 'node:path';
import type { PlannedFunction } from './app/plan-functions.ts';
import type { RegisteredFunction } from './app/registry.ts';
import type { DurableFunction } from './durable/durable-bridge.ts';
import { toError } from './errors.ts';
import { createRoute, type HttpRoute } from './http/routing/router.ts';
import type { Invoker } from './invocation/invoker.ts';
import type { Listener } from './listener.ts';
import type { HostLog } from './log/host-log.ts';
import { createServiceBusListener } from './service-bus/service-bus-listener.ts';
import { readServiceBusTrigger } from './service-bus/service-bus-trigger.ts';
import { instanceId } from './settings/environment.ts';
import type { HostConfig } from './settings/host-json.ts';
import { createTimerLease, type TimerLease } from './timer/timer-lease.ts';
import { createTimerListener } from './timer/timer-listener.ts';
import { createTimerStore } from './timer/timer-status.ts';
import type { RpcData } from './worker-protocol.ts';

/** The objects that serve the functions of an app: routes, listeners by function name, durable functions. */
export interface Wiring {
  routes: HttpRoute[];
  listeners: Map<string, Listener>;
  durable: DurableFunction[];
  /** The planned functions. Those that could not be wired are refused. */
  functions: PlannedFunction[];
}

/** Options of the wiring. */
export interface WiringOptions {
  config: HostConfig;
  invoker: Invoker;
  log: HostLog;
  stateDir: string;
  inputsOf(fn: RegisteredFunction): { name: string; data: RpcData }[];
}

/**
 * Creates the objects that serve each planned function. A function that cannot be served is refused, without an effect on the
 * others.
 */
export function wireFunctions(options: WiringOptions, planned: readonly PlannedFunction[]): Wiring {
  const store = createTimerStore(join(options.stateDir, 'timers'));
  const lease = createTimerLease(join(options.stateDir, 'timer-lease.sqlite'), instanceId(process.env));
  const wiring: Wiring = { routes: [], listeners: new Map(), durable: [], functions: [] };
  for (const entry of planned) {
    try {
      if (entry.state === 'served') wire({ ...options, store, lease }, entry, wiring);
      wiring.functions.push(entry);
    } catch (error: unknown) {
      wiring.functions.push({ state: 'refused', fn: entry.fn, error: toError(error) });
    }
  }
  return wiring;
}

type Served = Extract<PlannedFunction, { state: 'served' }>;
type Stores = { store: ReturnType<typeof createTimerStore>; lease: TimerLease };

function wire(options: WiringOptions & Stores, { fn, triggerName, triggerType }: Served, wiring: Wiring): void {
  const { name } = fn.metadata;
  switch (triggerType) {
    case 'httpTrigger':
      wiring.routes.push(createRoute(fn, triggerName, options.config.routePrefix));
      return;
    case 'timerTrigger':
      wiring.listeners.set(name, createTimerListener(options, fn, triggerName));
      return;
    case 'serviceBusTrigger': {
      const config = options.config.serviceBus;
      const trigger = readServiceBusTrigger(fn, triggerName, { env: process.env, config });
      wiring.listeners.set(name, createServiceBusListener({ ...options, config }, trigger));
      return;
    }
    case 'orchestrationTrigger':
      wiring.durable.push({ fn, triggerName, kind: 'orchestrator' });
      return;
    case 'activityTrigger':
      wiring.durable.push({ fn, triggerName, kind: 'activity' });
      return;
    default:
      triggerType satisfies never;
  }
}
