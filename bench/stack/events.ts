import { ServiceBusClient, type ServiceBusReceivedMessage } from '@azure/service-bus';
import { readEvent, type SluiceEvent } from '../../shared/contract/events.ts';

/** An event, with the times at which the broker accepted it and at which it arrived; milliseconds since 1970. */
export interface Heard {
  event: SluiceEvent;
  publishedMs: number;
  heardMs: number;
}

/** Everything that the app publishes on its topic. */
export interface Events {
  /** Resolves with the first event that `matches`, whether it arrived already or arrives later. */
  first(matches: (heard: Heard) => boolean): Promise<Heard>;
  /** Forgets the events that arrived so far. */
  clear(): void;
  close(): Promise<void>;
}

interface Waiting {
  matches: (heard: Heard) => boolean;
  resolve: (heard: Heard) => void;
}

/** Listens on the bench's own subscription. */
export async function listen(serviceBus: string): Promise<Events> {
  const client = new ServiceBusClient(serviceBus);
  const receiver = client.createReceiver('sluice-events', 'bench', { receiveMode: 'receiveAndDelete' });
  const heard: Heard[] = [];
  const waiting = new Set<Waiting>();
  receiver.subscribe({
    processMessage: async (message) => {
      const one = toHeard(message);
      if (!one) return;
      heard.push(one);
      for (const each of waiting) {
        if (!each.matches(one)) continue;
        waiting.delete(each);
        each.resolve(one);
      }
    },
    processError: async ({ error }) => console.error(error.message),
  });
  return {
    first: (matches) => {
      const known = heard.find(matches);
      return known ? Promise.resolve(known) : new Promise((resolve) => waiting.add({ matches, resolve }));
    },
    clear: () => void heard.splice(0),
    close: () => client.close(),
  };
}

function toHeard({ body, enqueuedTimeUtc }: ServiceBusReceivedMessage): Heard | undefined {
  const event = readEvent(body);
  return event && { event, publishedMs: enqueuedTimeUtc?.getTime() ?? Number.NaN, heardMs: Date.now() };
}
