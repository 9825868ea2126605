import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceBusReceivedMessage, ServiceBusReceiver } from '@azure/service-bus';
import type { ServiceBusConfig } from '../settings/host-json.ts';

/** Longest wait for a first message; a wait that ends with nothing is followed by another. */
const FIRST_MESSAGE_WAIT_MS = 30_000;
/** Wait for what is there beside the first message. The .NET client of the extension waits 20 ms too. */
const GATHER_WAIT_MS = 20;
/** Pause after an error of the connection, so that a broker that is away is not asked without end. */
const ERROR_PAUSE_MS = 500;

/** What the loop of a batch trigger needs. */
export interface BatchLoop {
  openReceiver(): ServiceBusReceiver;
  config: ServiceBusConfig;
  signal: AbortSignal;
  onBatch(receiver: ServiceBusReceiver, messages: readonly ServiceBusReceivedMessage[]): Promise<void>;
  onError(error: unknown): void;
}

/** Receives batches, one at a time, until aborted; a receiver that failed is replaced. Never rejects. */
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

// The client for JavaScript waits a second after the first message for more of them. Asking for one first, and then for
// what else is there, hands a lone message over at once.
async function receiveBatch(loop: BatchLoop, receiver: ServiceBusReceiver): Promise<ServiceBusReceivedMessage[]> {
  const { minMessageBatchSize, maxMessageBatchSize, maxBatchWaitMs } = loop.config;
  const messages = await receive(loop, receiver, 1, FIRST_MESSAGE_WAIT_MS);
  const deadline = Date.now() + maxBatchWaitMs;
  while (messages.length > 0 && messages.length < maxMessageBatchSize) {
    const isShort = messages.length < minMessageBatchSize && Date.now() < deadline;
    const waitMs = isShort ? Math.max(deadline - Date.now(), GATHER_WAIT_MS) : GATHER_WAIT_MS;
    // What has been received must not get lost by an error or an abort here: it is handed over as it is.
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
