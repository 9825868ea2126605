import { availableParallelism } from 'node:os';
import type { ServiceBusClient, ServiceBusReceivedMessage, ServiceBusReceiver } from '@azure/service-bus';
import type { Listener } from '../listener.ts';
import { runBatches } from './batch-loop.ts';
import { invokeAndSettle, toManualInvocation } from './invoke-messages.ts';
import { logError, type Scope, type ServiceBusOptions } from './scope.ts';
import type { ServiceBusTrigger } from './service-bus-trigger.ts';

/** Maximum number of concurrent calls of a single-message trigger, per core. */
const CALLS_PER_CORE = 16;

// Few retries, because the loops above never stop: after a restart of the broker, the client reconnects soon.
const RETRY_OPTIONS = { maxRetries: 2, retryDelayInMs: 250, timeoutInMs: 10_000 };

/** Creates the listener of a serviceBusTrigger: a batch loop for cardinality 'many', otherwise a subscription. */
export function createServiceBusListener(options: ServiceBusOptions, trigger: ServiceBusTrigger): Listener {
  const scope: Scope = { ...options, trigger, lastError: undefined };
  let running: Running | undefined;
  return {
    start: async () => {
      // The client is loaded only for an app with such a trigger, since loading it takes a third of a second.
      const { ServiceBusClient } = await import('@azure/service-bus');
      const client = new ServiceBusClient(trigger.connectionString, { retryOptions: RETRY_OPTIONS });
      running = trigger.isBatch ? startBatches(scope, client) : startSingle(scope, client);
    },
    stop: async () => running?.stop(),
    run: (input) => scope.invoker.invoke(toManualInvocation(scope, input)),
  };
}

interface Running {
  stop(): Promise<void>;
}

function openReceiver({ trigger, config }: Scope, client: ServiceBusClient): ServiceBusReceiver {
  const settings = {
    receiveMode: 'peekLock' as const,
    skipParsingBodyAsJson: true,
    // As in the extension, the locks of a batch are not renewed.
    maxAutoLockRenewalDurationInMs: trigger.isBatch ? 0 : config.maxAutoLockRenewalMs,
  };
  const { source } = trigger;
  if ('queue' in source) return client.createReceiver(source.queue, settings);
  return client.createReceiver(source.topic, source.subscription, settings);
}

function startBatches(scope: Scope, client: ServiceBusClient): Running {
  const stopping = new AbortController();
  const loop = runBatches({
    openReceiver: () => openReceiver(scope, client),
    config: scope.config,
    signal: stopping.signal,
    onBatch: (receiver, messages) => invokeAndSettle(scope, receiver, messages),
    onError: (error) => logError(scope, error),
  });
  return {
    stop: async () => {
      stopping.abort();
      await loop;
      await client.close();
    },
  };
}

function startSingle(scope: Scope, client: ServiceBusClient): Running {
  const receiver = openReceiver(scope, client);
  const calls = new Set<Promise<void>>();
  const processMessage = async (message: ServiceBusReceivedMessage) => {
    const call = invokeAndSettle(scope, receiver, [message]);
    calls.add(call);
    await call.finally(() => calls.delete(call));
  };
  const subscription = receiver.subscribe(
    { processMessage, processError: async ({ error }) => logError(scope, error) },
    {
      autoCompleteMessages: false,
      maxConcurrentCalls: scope.config.maxConcurrentCalls ?? CALLS_PER_CORE * availableParallelism(),
    },
  );
  return {
    stop: async () => {
      await subscription.close();
      await Promise.allSettled(calls);
      await client.close();
    },
  };
}
