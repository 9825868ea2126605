/** The events on topic `sluice-events`. Properties are what subscriptions filter on; the body repeats them and says more. */
import { z } from 'zod';
import { MalformedMessageError, NewerContractError } from './errors.ts';

/** A wake that nobody took within an hour is void: the sweep has long found the queue. */
export const WAKE_TTL_MS = 60 * 60 * 1000;

export const EVENT_TYPES = ['QueueWorkDetected', 'QueueEmpty', 'ItemsDeadLettered', 'BatchCompleted'] as const;

/** Application properties: account = the storage account of the queue, so that one topic can serve several. */
const properties = {
  type: z.enum(EVENT_TYPES),
  account: z.string(),
  pool: z.string(),
  queue: z.string(),
  workload: z.string(),
  lane: z.string(),
  batch: z.string().optional(),
};

/** An event's body; `details` depends on the type (docs/contract/events.md). */
export const eventSchema = z.object({
  v: z.literal(1),
  ...properties,
  items: z.number().int().nonnegative().optional(),
  payloadBytes: z.number().int().nonnegative().optional(),
  /** Those that the client gave the batch. */
  labels: z.record(z.string(), z.string()).optional(),
  details: z.record(z.string(), z.unknown()).optional(),
  at: z.string(),
  traceparent: z.string().optional(),
});
export type SluiceEvent = z.infer<typeof eventSchema>;

/** The application properties of an event; each label is one, named `label.<key>`. */
export function eventProperties(event: SluiceEvent): Record<string, string> {
  const { type, account, pool, queue, workload, lane, batch, labels = {} } = event;
  const labelled = Object.fromEntries(Object.entries(labels).map(([key, value]) => [`label.${key}`, value]));
  return { type, account, pool, queue, workload, lane, ...(batch === undefined ? {} : { batch }), ...labelled };
}

/** Reads an event's body (text or parsed JSON); throws NewerContractError or MalformedMessageError. */
export function readEvent(body: unknown): SluiceEvent {
  const data: unknown = typeof body === 'string' ? JSON.parse(body) : body;
  const version = typeof data === 'object' && data !== null && 'v' in data ? data.v : undefined;
  if (typeof version === 'number' && version > 1) throw new NewerContractError('Event', version);
  const parsed = eventSchema.safeParse(data);
  if (!parsed.success) throw new MalformedMessageError(`Event is malformed: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
