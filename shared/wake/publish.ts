import { randomUUID } from 'node:crypto';
import type { ServiceBusMessage, ServiceBusSender } from '@azure/service-bus';
import { eventProperties, type SluiceEvent, WAKE_TTL_MS } from '../contract/events.ts';
import type { Labels } from '../contract/labels.ts';
import type { Meter } from '../cost/meter.ts';
import { toError } from '../errors.ts';
import { log } from '../telemetry/log.ts';
import { currentTraceparent } from '../telemetry/trace.ts';
import type { QueueAddress } from '../workload/registry.ts';
import { type GateDeps, wake } from './gate.ts';

/** The fields of an event that do not follow from its queue. */
export type EventDetails = Pick<SluiceEvent, 'type'> &
  Partial<Pick<SluiceEvent, 'batch' | 'labels' | 'items' | 'payloadBytes' | 'details' | 'traceparent'>>;

/** The field of an event for the labels of its batch; none for a batch without. */
export const labelled = (labels: Labels | undefined): Pick<SluiceEvent, 'labels'> =>
  labels === undefined ? {} : { labels: { ...labels } };

export interface PublishOptions {
  /** Service time at which the event becomes visible; default at once. */
  at?: Date;
  /** Default a fresh one: duplicate detection must never take one wake for another. */
  messageId?: string;
}

/** Publishes one event about a queue. */
export type Publish = (address: QueueAddress, event: EventDetails, options?: PublishOptions) => Promise<void>;

export interface PublisherDeps {
  topic: Pick<ServiceBusSender, 'sendMessages'>;
  account: string;
  meter: Pick<Meter, 'count' | 'serviceNowMs'>;
}

/** Makes the one publisher of the app: properties for filters, body of the contract, counted. */
export function createPublisher(deps: PublisherDeps): Publish {
  return async (address, details, options = {}) => {
    const event: SluiceEvent = {
      v: 1,
      account: deps.account,
      pool: address.workload.pool,
      queue: address.queue,
      workload: address.workload.name,
      lane: address.lane,
      at: new Date(deps.meter.serviceNowMs()).toISOString(),
      ...ownTrace(),
      ...details,
    };
    deps.meter.count('servicebus.send');
    await deps.topic.sendMessages(message(event, options));
  };
}

/**
 * Makes a publisher for callers that have another way to wake a queue: a wake that cannot be published is logged, and
 * `fallback` runs. Any other event fails the caller, which must repeat it: subscribers have no other way to learn of it.
 */
export const withWakeFallback =
  (publish: Publish, fallback: (address: QueueAddress) => Promise<unknown> | undefined): Publish =>
  async (address, event, options) => {
    try {
      await publish(address, event, options);
    } catch (error) {
      if (event.type !== 'QueueWorkDetected') throw error;
      log.warn('event-not-published', { queue: address.queue, error: toError(error) });
      await fallback(address);
    }
  };

/**
 * Makes a publisher that wakes the queue itself when the topic cannot be reached, so that accepted work does not wait for
 * the sweep. A queue of another pool is left to that pool's sweep: its drain must not run in this app.
 * @param own `pool` of this app, undefined for all; `gate` that can start drains
 */
export const publishOrWake = (publish: Publish, own: { pool: string | undefined; gate: GateDeps }): Publish =>
  withWakeFallback(publish, ({ queue, workload }) =>
    own.pool === undefined || own.pool === workload.pool ? wake(own.gate, queue) : undefined,
  );

function ownTrace(): Pick<SluiceEvent, 'traceparent'> {
  const traceparent = currentTraceparent();
  return traceparent === undefined ? {} : { traceparent };
}

function message(event: SluiceEvent, options: PublishOptions): ServiceBusMessage {
  const wake = event.type === 'QueueWorkDetected';
  return {
    messageId: options.messageId ?? randomUUID(),
    contentType: 'application/json',
    subject: event.type,
    applicationProperties: eventProperties(event),
    body: event,
    ...(wake ? { timeToLive: WAKE_TTL_MS } : {}),
    ...(options.at === undefined ? {} : { scheduledEnqueueTimeUtc: options.at }),
  };
}
