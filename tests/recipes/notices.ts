import { ServiceBusClient, type ServiceBusMessage, type ServiceBusSender } from '@azure/service-bus';
import { defineWorkload, Reject } from 'sluice';
import { z } from 'zod';

const notice = z.object({ to: z.string().min(1).max(64), text: z.string() });

let sender: ServiceBusSender | undefined;
/** One sender per thread, made by its first group: all groups share its connection. */
function notices(): ServiceBusSender {
  sender ??= new ServiceBusClient(process.env.NOTICES_BUS ?? '').createSender('notices');
  return sender;
}

/** Sends messages in as few batches as they fit in; returns those that fit in none. */
async function send(messages: ServiceBusMessage[], abortSignal: AbortSignal): Promise<Set<ServiceBusMessage>> {
  const tooLarge = new Set<ServiceBusMessage>();
  let batch = await notices().createMessageBatch({ abortSignal });
  for (const message of messages) {
    if (batch.tryAddMessage(message)) continue;
    if (batch.count > 0) await notices().sendMessages(batch, { abortSignal });
    batch = await notices().createMessageBatch({ abortSignal });
    if (!batch.tryAddMessage(message)) tooLarge.add(message);
  }
  if (batch.count > 0) await notices().sendMessages(batch, { abortSignal });
  return tooLarge;
}

export default defineWorkload({
  name: 'notices',
  version: 1,
  item: notice,
  mapChunk: async (items, contexts) => {
    const messages = items.map((body, i) => ({ body, messageId: contexts[i]?.idempotencyKey ?? '' }));
    const tooLarge = await send(messages, contexts[0]?.signal ?? AbortSignal.abort());
    return messages.map((message) =>
      tooLarge.has(message) ? new Reject('The notice is too large for a message.') : { sent: message.messageId },
    );
  },
  group: { maxItems: 200 },
  concurrency: 4,
});
