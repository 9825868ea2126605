import { availableParallelism } from 'node:os';
import type { ServiceBusClient, ServiceBusReceivedMessage, ServiceBusReceiver } from '@azure/service-bus';
import { toError } from '../errors.ts';
import type { Invocation, Invoker } from '../invocation/invoker.ts';
import type { Listener } from '../listener.ts';
import type { HostLog } from '../log/host-log.ts';
import type { ServiceBusConfig } from '../settings/host-json.ts';
import type { RpcData } from '../worker-protocol.ts';
import { runBatches } from './batch-loop.ts';
import type { ServiceBusTrigger } from './service-bus-trigger.ts';
import { toBatchData, toBatchMetadata, toDetails, toMessageData, toMessageMetadata } from './trigger-data.ts';

/** What Service Bus triggers share. */
export interface ServiceBusOptions {
  config: ServiceBusConfig;
  invoker: Invoker;
  log: HostLog;
  inputsOf(fn: ServiceBusTrigger['fn']): { name: string; data: RpcData }[];
}

/** Calls of one single-message trigger that run side by side, for each core. */
const CALLS_PER_CORE = 16;

// Retries are short because the loops above them never give up: after a broker's restart the client tries again soon.
const RETRY_OPTIONS = { maxRetries: 2, retryDelayInMs: 250, timeoutInMs: 10_000 };

/** Makes the listener of a serviceBusTrigger: a batch loop for cardinality 'many', else a subscription. */
export function createServiceBusListener(options: ServiceBusOptions, trigger: ServiceBusTrigger): Listener {
  let running: Running | undefined;
  return {
    start: async () => {
      // The client is loaded only for an app that has such a trigger: it takes a third of a second.
      const { ServiceBusClient } = await import('@azure/service-bus');
      const client = new ServiceBusClient(trigger.connectionString, { retryOptions: RETRY_OPTIONS });
      running = trigger.isBatch ? startBatches(options, trigger, client) : startSingle(options, trigger, client);
    },
    stop: async () => running?.stop(),
    run: (input) => options.invoker.invoke(toManualInvocation(options, trigger, input)),
  };
}

interface Running {
  stop(): Promise<void>;
}

function openReceiver(
  options: ServiceBusOptions,
  trigger: ServiceBusTrigger,
  client: ServiceBusClient,
): ServiceBusReceiver {
  const settings = {
    receiveMode: 'peekLock' as const,
    skipParsingBodyAsJson: true,
    // A batch's locks are not renewed, as in the extension.
    maxAutoLockRenewalDurationInMs: trigger.isBatch ? 0 : options.config.maxAutoLockRenewalMs,
  };
  const { source } = trigger;
  if ('queue' in source) return client.createReceiver(source.queue, settings);
  return client.createReceiver(source.topic, source.subscription, settings);
}

function startBatches(options: ServiceBusOptions, trigger: ServiceBusTrigger, client: ServiceBusClient): Running {
  const stopping = new AbortController();
  const loop = runBatches({
    openReceiver: () => openReceiver(options, trigger, client),
    config: options.config,
    signal: stopping.signal,
    onBatch: (receiver, messages) => invokeAndSettle(options, trigger, receiver, messages),
    onError: (error) => logError(options, trigger, error),
  });
  return {
    stop: async () => {
      stopping.abort();
      await loop;
      await client.close();
    },
  };
}

function startSingle(options: ServiceBusOptions, trigger: ServiceBusTrigger, client: ServiceBusClient): Running {
  const receiver = openReceiver(options, trigger, client);
  const calls = new Set<Promise<void>>();
  const processMessage = async (message: ServiceBusReceivedMessage) => {
    const call = invokeAndSettle(options, trigger, receiver, [message]);
    calls.add(call);
    await call.finally(() => calls.delete(call));
  };
  const subscription = receiver.subscribe(
    { processMessage, processError: async ({ error }) => logError(options, trigger, error) },
    {
      autoCompleteMessages: false,
      maxConcurrentCalls: options.config.maxConcurrentCalls ?? CALLS_PER_CORE * availableParallelism(),
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

async function invokeAndSettle(
  options: ServiceBusOptions,
  trigger: ServiceBusTrigger,
  receiver: ServiceBusReceiver,
  messages: readonly ServiceBusReceivedMessage[],
): Promise<void> {
  const succeeded = await options.invoker.invoke(toInvocation(options, trigger, messages)).then(
    () => true,
    () => false,
  );
  if (succeeded && !trigger.autoComplete) return;
  const settle = (message: ServiceBusReceivedMessage) =>
    succeeded ? receiver.completeMessage(message) : receiver.abandonMessage(message);
  for (const outcome of await Promise.allSettled(messages.map(settle))) {
    if (outcome.status === 'rejected') logError(options, trigger, outcome.reason);
  }
}

function toInvocation(
  options: ServiceBusOptions,
  trigger: ServiceBusTrigger,
  messages: readonly ServiceBusReceivedMessage[],
): Invocation {
  const { fn, name, isBatch, isBinary } = trigger;
  const [first] = messages;
  const single = isBatch ? undefined : first;
  return {
    fn,
    inputs: [
      { name, data: single ? toMessageData(single, isBinary) : toBatchData(messages, isBinary) },
      ...options.inputsOf(fn),
    ],
    triggerMetadata: single ? toMessageMetadata(single) : toBatchMetadata(messages),
    reason: '(null)',
    details: toDetails(messages, isBatch),
  };
}

function toManualInvocation(
  options: ServiceBusOptions,
  { fn, name, isBatch }: ServiceBusTrigger,
  input: string,
): Invocation {
  const data: RpcData = isBatch ? { collectionString: { string: [input] } } : { string: input };
  const reason = 'This function was programmatically called via the host APIs.';
  return { fn, inputs: [{ name, data }, ...options.inputsOf(fn)], reason };
}

function logError({ log }: ServiceBusOptions, { fn }: ServiceBusTrigger, error: unknown): void {
  const { name } = fn.metadata;
  log.write(
    'error',
    'Host.Triggers.ServiceBus',
    `Message processing error (Functions.${name}): ${toError(error).message}`,
  );
}
