/**
 * Publishes events on the topic. If the topic is unavailable, the caller has one of three ways to continue. Requests,
 * the inbox function and the sweep wake the queue themselves (wake-fallback.ts). An event on which
 * no work depends is logged and dropped (`tryPublish`). In a drain the error fails the round or the activity, which is
 * repeated.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { ServiceBusMessage, ServiceBusSender } from '@azure/service-bus';
import {
  eventProperties,
  type InboxRejectedEvent,
  type QueueEvent,
  type SluiceEvent,
  WAKE_TTL_MS,
} from '../contract/events.ts';
import type { Labels } from '../contract/text/labels.ts';
import type { Meter } from '../cost/meter.ts';
import { type Problem, toError } from '../errors.ts';
import { log } from '../telemetry/log.ts';
import { currentTraceparent } from '../telemetry/trace.ts';
import type { Workload } from '../workload/define.ts';
import type { QueueAddress } from '../workload/registry.ts';

type Details = Partial<Pick<QueueEvent, 'batch' | 'labels' | 'details' | 'traceparent'>>;

/** The work that was put on a queue before its wake: number of items, and bytes of their payload. */
export interface WorkPut {
  items: number;
  payloadBytes: number;
}

/** For a wake without new work: a scheduled one, or one for a queue whose drain may have died. */
export const NOTHING_PUT: Readonly<WorkPut> = { items: 0, payloadBytes: 0 };

/** A wake event always contains how much was put, so that a listener can decide by it. */
type WakeDetails = Details & { type: 'QueueWorkDetected' } & WorkPut;

/** The fields of an event that do not follow from its queue. */
export type EventDetails =
  | WakeDetails
  | (Details & { type: Exclude<QueueEvent['type'], 'QueueWorkDetected'> } & Partial<WorkPut>);

/** The field of an event for the labels of its batch; empty if the batch has none. */
export const labelled = (labels: Labels | undefined): Pick<QueueEvent, 'labels'> =>
  labels === undefined ? {} : { labels: { ...labels } };

export interface PublishOptions {
  /** Service time at which the event becomes visible. If absent, it is visible immediately. */
  at?: Date;
  /** Defaults to a new one: duplicate detection must never drop a wake because of an earlier one. */
  messageId?: string;
}

export type Publish = (address: QueueAddress, event: EventDetails, options?: PublishOptions) => Promise<void>;

export interface PublisherDeps {
  topic: Pick<ServiceBusSender, 'sendMessages'>;
  account: string;
  meter: Pick<Meter, 'count' | 'serviceNowMs'>;
}

/** A file of the inbox that was rejected; `workload` is absent if its path contains no known workload. */
export interface RejectedFile {
  name: string;
  etag: string;
  workload: Pick<Workload, 'name' | 'pool'> | undefined;
  problem: Pick<Problem, 'type' | 'status' | 'message'>;
}

/** Publishes that a file was rejected. A repeat for the same version of the file has the same message id. */
export type PublishRejected = (file: RejectedFile) => Promise<void>;

/** The detail of a problem can contain input from clients; a message of the topic can have at most 256 KiB. */
const MAX_DETAIL = 4_000;

/**
 * Creates the publishers. They set the properties for filters and the body of the contract, and count each operation.
 */
export function createPublishers({ topic, account, meter }: PublisherDeps): {
  publish: Publish;
  publishRejected: PublishRejected;
} {
  const commonFields = () => {
    const traceparent = currentTraceparent();
    const at = new Date(meter.serviceNowMs()).toISOString();
    return { v: 1, account, at, ...(traceparent === undefined ? {} : { traceparent }) } as const;
  };
  const send = async (event: SluiceEvent, options: PublishOptions = {}): Promise<void> => {
    meter.count('servicebus.send');
    await topic.sendMessages(message(event, options));
  };
  return {
    publish: ({ queue, workload, lane }, details, options) =>
      send({ ...commonFields(), pool: workload.pool, queue, workload: workload.name, lane, ...details }, options),
    publishRejected: ({ name, etag, workload, problem: { type, status, message: detail } }) => {
      const event: InboxRejectedEvent = {
        ...commonFields(),
        type: 'InboxRejected',
        ...(workload === undefined ? {} : { pool: workload.pool, workload: workload.name }),
        details: { name, type, status, detail: detail.slice(0, MAX_DETAIL) },
      };
      const version = createHash('sha256').update(`${name}\n${etag}`).digest('hex').slice(0, 32);
      return send(event, { messageId: `rejected-${version}` });
    },
  };
}

/**
 * Publishes an event on which the work of the caller does not depend. If that fails, logs the error with `about` and
 * returns false.
 */
export async function tryPublish(
  about: { queue: string } | { batch: string },
  publish: () => Promise<void>,
): Promise<boolean> {
  try {
    await publish();
    return true;
  } catch (error) {
    log.warn('event-not-published', { ...about, error: toError(error) });
    return false;
  }
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
