import type { RegisteredFunction } from '../app/registry.ts';
import { FunctionRefusedError, unsupported } from '../errors.ts';
import { findConnectionString } from '../settings/connection.ts';
import type { Environment } from '../settings/environment.ts';
import type { ServiceBusConfig } from '../settings/host-json.ts';

/** A serviceBusTrigger, as this host serves it. */
export interface ServiceBusTrigger {
  fn: RegisteredFunction;
  /** Name of the trigger's binding. */
  name: string;
  connectionString: string;
  source: { queue: string } | { topic: string; subscription: string };
  isBatch: boolean;
  isBinary: boolean;
  autoComplete: boolean;
}

/** Reads a trigger from its binding. Throws FunctionRefusedError for an unsupported feature. */
export function readServiceBusTrigger(
  fn: RegisteredFunction,
  name: string,
  { env, config }: { env: Environment; config: ServiceBusConfig },
): ServiceBusTrigger {
  const binding = fn.metadata.bindings[name] ?? { type: 'serviceBusTrigger', direction: 'in' };
  if (binding.isSessionsEnabled === true) throw unsupported('sessions (isSessionsEnabled) are');
  const connection = typeof binding.connection === 'string' && binding.connection ? binding.connection : 'ServiceBus';
  const autoComplete = binding.autoCompleteMessages ?? binding.autoComplete;
  return {
    fn,
    name,
    connectionString: findConnectionString(connection, env),
    source: readSource(binding),
    isBatch: String(binding.cardinality ?? 'one').toLowerCase() === 'many',
    isBinary: binding.dataType === 'binary',
    autoComplete: typeof autoComplete === 'boolean' ? autoComplete : config.autoCompleteMessages,
  };
}

function readSource(binding: Readonly<Record<string, unknown>>): ServiceBusTrigger['source'] {
  const { queueName, topicName, subscriptionName } = binding;
  if (typeof queueName === 'string' && queueName) return { queue: queueName };
  if (typeof topicName === 'string' && topicName && typeof subscriptionName === 'string' && subscriptionName) {
    return { topic: topicName, subscription: subscriptionName };
  }
  throw new FunctionRefusedError('serviceBusTrigger: expected queueName, or topicName and subscriptionName.');
}
