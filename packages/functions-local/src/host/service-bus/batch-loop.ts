import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceBusReceivedMessage, ServiceBusReceiver } from '@azure/service-bus';
import type { ServiceBusConfig } from '../settings/host-json.ts';

/** Maximum wait for a first message. After a wait without a message, the loop waits again. */
const FIRST_MESSAGE_WAIT_MS = 30_000;
/** Wait for further messages after the first one. The .NET client of the extension also waits 20 ms. */
const GATHER_WAIT_MS = 20;
/** Pause after a connection error, so that an unavailable broker is not called in a tight loop. */
const ERROR_PAUSE_MS = 500;

/** Options of the loop of a batch trigger. */
export interface BatchLoop {
  openReceiver(): ServiceBusReceiver;
  config: ServiceBusConfig;
  signal: AbortSignal;
  onBatch(receiver: ServiceBusReceiver, messages: readonly ServiceBusReceivedMessage[]): Promise<void>;
  onError(error: unknown): void;
}

/** Receives batches, one at a time, until aborted. Replaces a receiver after an error. Never rejects. */
export async function runBatches(loop: BatchLoop): Promise<void> {
  let receiver: ServiceBusReceiver | undefined;
  while (!loop.signal.aborted) {
    try {
      receiver ??= loop.openReceiver();
      const messages = await receiveBatch(loop, receiver);
      if (messages.length > 0) await loop.onBatch(receiver, messages);
    } catch (error: unknown) {
      if (loop.signal.aborted) break;
      loop.onError(error);
      await closeQuietly(receiver);
      receiver = undefined;
      await sleep(ERROR_PAUSE_MS, undefined, { signal: loop.signal }).catch(() => undefined);
    }
  }
  await closeQuietly(receiver);
}

// The client for JavaScript waits a second for more messages after the first one. Receiving first one message, and then the
// others that are available, delivers a single message immediately.
async function receiveBatch(loop: BatchLoop, receiver: ServiceBusReceiver): Promise<ServiceBusReceivedMessage[]> {
  const { minMessageBatchSize, maxMessageBatchSize, maxBatchWaitMs } = loop.config;
  const messages = await receive(loop, receiver, 1, FIRST_MESSAGE_WAIT_MS);
  const deadline = Date.now() + maxBatchWaitMs;
  while (messages.length > 0 && messages.length < maxMessageBatchSize) {
    const isShort = messages.length < minMessageBatchSize && Date.now() < deadline;
    const waitMs = isShort ? Math.max(deadline - Date.now(), GATHER_WAIT_MS) : GATHER_WAIT_MS;
    // Received messages must not get lost because of an error or an abort here. They are processed as they are.
    const more = await receive(loop, receiver, maxMessageBatchSize - messages.length, waitMs).catch(() => undefined);
    messages.push(...(more ?? []));
    if (!isShort || !more) break;
  }
  return messages;
}

function receive({ signal }: BatchLoop, receiver: ServiceBusReceiver, count: number, waitMs: number) {
  return receiver.receiveMessages(count, { maxWaitTimeInMs: waitMs, abortSignal: signal });
}

async function closeQuietly(receiver: ServiceBusReceiver | undefined): Promise<void> {
  await receiver?.close().catch(() => undefined);
}
