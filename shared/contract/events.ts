/** The events on topic `sluice-events`. Subscriptions filter on the properties; the body repeats them and contains more. */
import { z } from 'zod';
import { MalformedMessageError, NewerContractError } from './errors.ts';
import { EVENT_TYPES, type EventName } from './event-types.ts';

/** A wake event expires after an hour without a receiver: the sweep has found the queue long before. */
export const WAKE_TTL_MS = 60 * 60 * 1000;

type QueueEventName = Exclude<EventName, 'InboxRejected'>;
const KNOWN_TYPES = Object.keys(EVENT_TYPES) as EventName[];
/** Events about a queue or a batch. An event about a batch contains the first of its queues. */
const QUEUE_EVENT_TYPES = KNOWN_TYPES.filter((type): type is QueueEventName => type !== 'InboxRejected');

/** Fields of every event. `account` is the storage account of the queue or file, so that one topic can serve several. */
const common = { v: z.literal(1), account: z.string(), at: z.string(), traceparent: z.string().optional() };

/** `details` depends on the type (event-types.ts). */
const queueEventSchema = z.object({
  ...common,
  type: z.enum(QUEUE_EVENT_TYPES),
  pool: z.string(),
  queue: z.string(),
  workload: z.string(),
  lane: z.string(),
  batch: z.string().optional(),
  items: z.number().int().nonnegative().optional(),
  payloadBytes: z.number().int().nonnegative().optional(),
  /** The labels that the client gave the batch. */
  labels: z.record(z.string(), z.string()).optional(),
  details: z.record(z.string(), z.unknown()).optional(),
});
export type QueueEvent = z.infer<typeof queueEventSchema>;

/** A file has no queue. If its path contains no known workload, there is neither workload nor pool. */
const inboxEventSchema = z.object({
  ...common,
  type: z.literal('InboxRejected'),
  pool: z.string().optional(),
  workload: z.string().optional(),
  details: z.object({
    name: z.string().describe('Name of the blob in inbox-rejected'),
    type: z.string().describe('Problem type'),
    status: z.number().int(),
    detail: z.string(),
  }),
});
export type InboxRejectedEvent = z.infer<typeof inboxEventSchema>;

const knownEventSchema = z.discriminatedUnion('type', [queueEventSchema, inboxEventSchema]);
export type SluiceEvent = z.infer<typeof knownEventSchema>;

/** `meta` adds `not` to the published schema, which cannot contain the refinement. */
const unknownEventSchema = z
  .object({
    ...common,
    type: z
      .string()
      .refine((type) => !Object.hasOwn(EVENT_TYPES, type), 'Expected an unknown type')
      .meta({ not: { enum: KNOWN_TYPES } }),
  })
  .describe('An event of a type that was added later within version 1. Readers ignore it.');

export const eventSchema = z.union([queueEventSchema, inboxEventSchema, unknownEventSchema]);

/** The filter properties, in the order of docs/contract/events.md. */
const PROPERTIES = ['type', 'account', 'pool', 'queue', 'workload', 'lane', 'batch'] as const;

/**
 * Returns the application properties of an event. Each label becomes a property `label.<key>`. Properties without a value are
 * omitted, because a filter would match them as empty strings.
 */
export function eventProperties(event: SluiceEvent): Record<string, string> {
  const values: Partial<Record<(typeof PROPERTIES)[number], string | undefined>> = event;
  const labels = 'labels' in event ? Object.entries(event.labels ?? {}) : [];
  return Object.fromEntries([
    ...PROPERTIES.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
    ...labels.map(([key, value]) => [`label.${key}`, value]),
  ]);
}

/**
 * Reads the body of an event (text or parsed JSON). Returns undefined for a type that was added later within version 1, which
 * every reader ignores.
 * @throws NewerContractError, MalformedMessageError
 */
export function readEvent(body: unknown): SluiceEvent | undefined {
  const data: unknown = typeof body === 'string' ? JSON.parse(body) : body;
  const version = typeof data === 'object' && data !== null && 'v' in data ? data.v : undefined;
  if (typeof version === 'number' && version > 1) throw new NewerContractError('Event', version);
  if (unknownEventSchema.safeParse(data).success) return undefined;
  const parsed = knownEventSchema.safeParse(data);
  if (!parsed.success) throw new MalformedMessageError(`Event is malformed: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
