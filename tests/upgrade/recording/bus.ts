import { ServiceBusClient } from '@azure/service-bus';

/** A message that a subscription has not delivered yet. */
export interface RecordedMessage {
  /** The subscriptions that still have it. */
  subscriptions: string[];
  messageId: string;
  contentType?: string;
  subject?: string;
  correlationId?: string;
  properties: Record<string, string | number | boolean | Date | null>;
  body: unknown;
}

const TOPIC = 'sluice-events';
const SUBSCRIPTIONS = ['completions', 'wake'];
const MAX_PEEKED = 250;

/**
 * Reads what the subscriptions have not delivered. Scheduled wake events cannot be read before they are due: a recording is
 * without them, as if they were lost.
 */
export async function exportMessages(connection: string): Promise<RecordedMessage[]> {
  const client = new ServiceBusClient(connection);
  const found = new Map<string, RecordedMessage>();
  try {
    for (const subscription of SUBSCRIPTIONS) {
      const receiver = client.createReceiver(TOPIC, subscription);
      for (const message of await receiver.peekMessages(MAX_PEEKED)) {
        const {
          messageId,
          contentType,
          subject,
          correlationId,
          applicationProperties: properties = {},
          body,
        } = message;
        const id = String(messageId);
        const known = found.get(id);
        if (known) known.subscriptions.push(subscription);
        else
          found.set(id, {
            ...{ subscriptions: [subscription], messageId: id },
            ...(contentType === undefined ? {} : { contentType }),
            ...(subject === undefined ? {} : { subject }),
            ...(correlationId === undefined ? {} : { correlationId: String(correlationId) }),
            ...{ properties, body },
          });
      }
    }
  } finally {
    await client.close();
  }
  return [...found.values()];
}

/** Sends the messages to the topic again. A subscription that had one may get it twice, as from the service. */
export async function loadMessages(connection: string, messages: readonly RecordedMessage[]): Promise<void> {
  const client = new ServiceBusClient(connection);
  try {
    const sender = client.createSender(TOPIC);
    for (const { subscriptions: _, properties, ...message } of messages)
      await sender.sendMessages({ ...message, applicationProperties: properties });
  } finally {
    await client.close();
  }
}
