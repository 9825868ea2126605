import type { ServiceBusReceivedMessage } from '@azure/service-bus';
import { isRecord } from '../settings/json.ts';
import type { RpcData } from '../worker-protocol.ts';

/** Converts one message to a trigger's value. */
export function toMessageData(message: ServiceBusReceivedMessage, isBinary: boolean): RpcData {
  const body = toBytes(message.body);
  return isBinary ? { bytes: body } : { string: body.toString('utf8') };
}

/** Converts a batch to a trigger's value. */
export function toBatchData(messages: readonly ServiceBusReceivedMessage[], isBinary: boolean): RpcData {
  const bodies = messages.map((message) => toBytes(message.body));
  if (isBinary) return { collectionBytes: { bytes: bodies } };
  return { collectionString: { string: bodies.map((body) => body.toString('utf8')) } };
}

// Messages are received with their raw bytes. A body that was sent as an AMQP value is decoded already and converted back to
// text.
function toBytes(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  if (body instanceof Uint8Array) return Buffer.from(body);
  if (body === undefined || body === null) return Buffer.alloc(0);
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Describes one message with the extension's names. Missing values are omitted. */
function describe(message: ServiceBusReceivedMessage): Record<string, unknown> {
  const enqueued = message.enqueuedTimeUtc?.toISOString();
  const expires = toExpiry(message.expiresAtUtc);
  return {
    MessageId: message.messageId === undefined ? undefined : String(message.messageId),
    // The client for JavaScript returns the AMQP counter, which starts at 0. .NET, and therefore the extension, starts at 1.
    DeliveryCount: (message.deliveryCount ?? 0) + 1,
    SequenceNumber: message.sequenceNumber === undefined ? undefined : Number(message.sequenceNumber),
    EnqueuedTimeUtc: enqueued,
    EnqueuedTime: enqueued,
    ExpiresAtUtc: expires,
    ExpiresAt: expires,
    LockToken: message.lockToken,
    ContentType: message.contentType,
    CorrelationId: message.correlationId === undefined ? undefined : String(message.correlationId),
    Subject: message.subject,
    Label: message.subject,
    To: message.to,
    ReplyTo: message.replyTo,
    ReplyToSessionId: message.replyToSessionId,
    SessionId: message.sessionId,
    PartitionKey: message.partitionKey,
    DeadLetterSource: message.deadLetterSource,
    ApplicationProperties: message.applicationProperties ?? {},
    UserProperties: message.applicationProperties ?? {},
  };
}

// The expiry of a message that never expires is outside the range of .NET, which uses the end of its calendar instead.
function toExpiry(expires: Date | undefined): string | undefined {
  return expires && expires.getUTCFullYear() > 9999 ? '9999-12-31T23:59:59.999Z' : expires?.toISOString();
}

/** Returns the trigger metadata of one message. As in the host, includes the top-level properties of a JSON body. */
export function toMessageMetadata(message: ServiceBusReceivedMessage): Record<string, RpcData> {
  const metadata: Record<string, RpcData> = {};
  for (const [name, value] of Object.entries({ ...readBody(message), ...describe(message) })) {
    if (value !== undefined && value !== null) metadata[name] = toData(value);
  }
  return metadata;
}

function readBody(message: ServiceBusReceivedMessage): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(toBytes(message.body).toString('utf8'));
    return isRecord(json) ? Object.fromEntries(Object.entries(json).filter(([, value]) => !Array.isArray(value))) : {};
  } catch {
    return {};
  }
}

function toData(value: unknown): RpcData {
  return typeof value === 'string' ? { string: value } : { json: JSON.stringify(value) };
}

/** Returns the trigger metadata of a batch: each name with the suffix `Array`, with one entry per message. */
export function toBatchMetadata(messages: readonly ServiceBusReceivedMessage[]): Record<string, RpcData> {
  const described = messages.map(describe);
  const metadata: Record<string, RpcData> = {};
  for (const name of Object.keys(described[0] ?? {})) {
    const values = described.map((values) => values[name]);
    if (values.some((value) => value !== undefined)) metadata[`${name}Array`] = toCollection(name, values);
  }
  return metadata;
}

function toCollection(name: string, values: readonly unknown[]): RpcData {
  if (name === 'SequenceNumber') return { collectionSint64: { sint64: values.map(Number) } };
  const isText = values.every((value) => typeof value === 'string' || value === undefined);
  if (isText && !name.startsWith('E'))
    return { collectionString: { string: values.map((value) => String(value ?? '')) } };
  return { json: JSON.stringify(values.map((value) => value ?? null)) };
}

/** Returns the `Trigger Details` of one message or a batch. */
export function toDetails(messages: readonly ServiceBusReceivedMessage[], isBatch: boolean): string {
  const suffix = isBatch ? 'Array' : '';
  const list = (read: (message: ServiceBusReceivedMessage) => unknown) =>
    messages.map((message) => String(read(message))).join(',');
  return [
    `MessageId${suffix}: ${list((message) => message.messageId)}`,
    `SequenceNumber${suffix}: ${list((message) => message.sequenceNumber)}`,
    `DeliveryCount${suffix}: ${list((message) => (message.deliveryCount ?? 0) + 1)}`,
    `EnqueuedTimeUtc${suffix}: ${list((message) => message.enqueuedTimeUtc?.toISOString())}`,
    `LockedUntilUtc${suffix}: ${list((message) => message.lockedUntilUtc?.toISOString())}`,
    `SessionId${suffix}: ${list((message) => message.sessionId ?? '(null)')}`,
  ].join(', ');
}
