import { toError } from '../errors.ts';
import type { Invoker } from '../invocation/invoker.ts';
import type { HostLog } from '../log/host-log.ts';
import type { ServiceBusConfig } from '../settings/host-json.ts';
import type { RpcData } from '../worker-protocol.ts';
import type { ServiceBusTrigger } from './service-bus-trigger.ts';

/** The shared options of Service Bus triggers. */
export interface ServiceBusOptions {
  config: ServiceBusConfig;
  invoker: Invoker;
  log: HostLog;
  inputsOf(fn: ServiceBusTrigger['fn']): { name: string; data: RpcData }[];
}

/** The state of one trigger while it listens. */
export interface Scope extends ServiceBusOptions {
  readonly trigger: ServiceBusTrigger;
  /** Text of the last logged error. Cleared after a success. */
  lastError: string | undefined;
}

/** Logs a connection or settlement error of a trigger. */
export function logError(scope: Scope, error: unknown): void {
  const { message } = toError(error);
  // A client that waits for its broker fails in the same way several times per second. The error is logged once.
  if (message === scope.lastError) return;
  scope.lastError = message;
  const { name } = scope.trigger.fn.metadata;
  scope.log.write('error', 'Host.Triggers.ServiceBus', `Message processing error (Functions.${name}): ${message}`);
}
