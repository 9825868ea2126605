/** Connects the topic and the app: passes each published wake event on as the plan of its run says, or drops it. */
import { ServiceBusClient, type ServiceBusReceivedMessage, type ServiceBusSender } from '@azure/service-bus';
import { RELAYED, SUBSCRIPTIONS, TOPIC } from '../harness/entities.ts';
import type { Score } from './checks/score.ts';
import type { Traffic } from './traffic.ts';

export interface Relay {
  /** Passes on a wake that belongs to no run, for a queue that has messages but got no wake. */
  wake(queue: string): Promise<void>;
  close(): Promise<void>;
}

type Event = { queue?: string };
/** A held event is passed on after this time if no next event comes. */
const HELD_MS = 3_000;

/** Opens the relay; after the death of a broker, a new one is opened. */
export function openRelay(connectionString: string, traffic: Traffic, score: Score): Relay {
  const client = new ServiceBusClient(connectionString, { retryOptions: { retryDelayInMs: 200, maxRetries: 5 } });
  const sender = client.createSender(TOPIC);
  const receiver = client.createReceiver(TOPIC, SUBSCRIPTIONS.published);
  const held = new Map<string, () => void>();
  let closed = false;

  const pass = async (event: Event, properties: Record<string, unknown>): Promise<void> => {
    try {
      await send(sender, event, properties);
    } catch {
      if (!closed) score.fault('wake lost with the broker');
    }
  };

  const relay = async (message: ServiceBusReceivedMessage): Promise<void> => {
    const event = message.body as Event;
    const forward = (): Promise<void> => pass(event, message.applicationProperties ?? {});
    const slot = /^slot\d+/.exec(event.queue ?? '')?.[0] ?? '';
    const run = traffic.runOf(slot);
    const { delivery, ms } = run ? run.plan.wake(run.wakes) : ({ delivery: 'passed', ms: 0 } as const);
    if (run && delivery !== 'passed') {
      score.fault(`wake ${delivery}`);
      run.faultedAt = Date.now();
    }
    if (run) run.wakes += 1;
    if (delivery === 'dropped') return;
    if (delivery === 'delayed') return void setTimeout(() => void forward(), ms);
    if (delivery === 'held') return hold(held, slot, () => void forward());
    await forward();
    if (delivery === 'doubled') await forward();
    held.get(slot)?.();
  };
  receiver.subscribe({ processMessage: relay, processError: async () => {} }, { maxConcurrentCalls: 32 });
  return {
    wake: (queue) => send(sender, wakeOf(queue), { type: 'QueueWorkDetected' }),
    close: async () => {
      closed = true;
      await client.close().catch(() => undefined);
    },
  };
}

function hold(held: Map<string, () => void>, slot: string, forward: () => void): void {
  const release = (): void => {
    if (held.get(slot) === release) held.delete(slot);
    clearTimeout(timer);
    forward();
  };
  const timer = setTimeout(release, HELD_MS);
  held.get(slot)?.();
  held.set(slot, release);
}

async function send(sender: ServiceBusSender, body: Event, properties: Record<string, unknown>): Promise<void> {
  await sender.sendMessages({ body, applicationProperties: { ...(properties as object), [RELAYED]: 'yes' } });
}

function wakeOf(queue: string): Event {
  const [workload = '', lane = ''] = queue.split('-');
  const address = { account: 'devstoreaccount1', pool: 'default', queue, workload, lane };
  return { v: 1, type: 'QueueWorkDetected', ...address, at: new Date().toISOString() } as Event;
}
