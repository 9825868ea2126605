import { availableParallelism } from 'node:os';
import type { ServiceBusClient, ServiceBusReceivedMessage, ServiceBusReceiver } from '@azure/service-bus';
import type { Listener } from '../listener.ts';
import { runBatches } from './batch-loop.ts';
import { invokeAndSettle, toManualInvocation } from './invoke-messages.ts';
import { logError, type Scope, type ServiceBusOptions } from './scope.ts';
import type { ServiceBusTrigger } from './service-bus-trigger.ts';

/** Calls of one single-message trigger that run side by side, for each core. */
const CALLS_PER_CORE = 16;

// Retries are short because the loops above them never give up: after a broker's restart the client tries again soon.
const RETRY_OPTIONS = { maxRetries: 2, retryDelayInMs: 250, timeoutInMs: 10_000 };

/** Makes the listener of a serviceBusTrigger: a batch loop for cardinality 'many', else a subscription. */
export function createServiceBusListener(options: ServiceBusOptions, trigger: ServiceBusTrigger): Listener {
  const scope: Scope = { ...options, trigger, lastError: undefined };
  let running: Running | undefined;
  return {
    start: async () => {
      // The client is loaded only for an app that has such a trigger: it takes a third of a second.
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
    // A batch's locks are not renewed, as in the extension.
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
