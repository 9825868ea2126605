import { randomUUID } from 'node:crypto';
import rhea from 'rhea';
import type { FilterSubject, FilterValue } from '../filters/subject.ts';
import { type Section, sectionCodes, splitSections, writeSection } from './sections.ts';
import { encodedNull, readElements, writeList, writeMap, writeString } from './values.ts';

/** A message from a client. Times are in milliseconds since 1970. */
export interface IncomingMessage {
  /** Generated if the sender sent none, since clients cannot settle a message without an id. */
  readonly messageId: string;
  readonly ttlMs: number | undefined;
  /** Header fields. Undefined if the sender did not set them. */
  readonly durable: boolean | undefined;
  readonly priority: number | undefined;
  /** The scheduled enqueue time, if the sender set it. */
  readonly scheduledAt: number | undefined;
  /** The sender's message annotations as an encoded map, without those that the broker writes. */
  readonly annotations: Buffer;
  /** Properties, application properties and body, unchanged. */
  readonly bare: Buffer;
  readonly subject: FilterSubject;
}

/** Annotations that the broker writes. A forwarded message can contain them already and would then have them twice. */
const ownAnnotations = new Set([
  'x-opt-sequence-number',
  'x-opt-enqueued-time',
  'x-opt-locked-until',
  'x-opt-enqueue-sequence-number',
  'x-opt-message-state',
  'x-opt-lock-token',
]);

const emptyMap = writeMap([]);

function decode(sections: readonly Section[]): Record<string, unknown> {
  return rhea.message.decode(Buffer.concat(sections.map(({ whole }) => whole)));
}

function toTime(value: unknown): number | undefined {
  if (value instanceof Date) return value.getTime();
  return typeof value === 'number' ? value : undefined;
}

function toIdText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return Buffer.isBuffer(value) ? value.toString('hex') : String(value);
}

function keepForeignAnnotations(value: Buffer): Buffer {
  const elements = readElements(value);
  const kept = elements.filter((_, index) => {
    const key = elements[index - (index % 2)] ?? encodedNull;
    return !ownAnnotations.has(key.subarray(2).toString());
  });
  return writeMap(kept);
}

function withMessageId(properties: Section | undefined, messageId: string): Buffer {
  const [, ...others] = properties ? readElements(properties.value) : [];
  return writeSection(sectionCodes.properties, writeList([writeString(messageId), ...others]));
}

function bareSections(sections: readonly Section[], messageId: string, hasId: boolean): Buffer {
  const properties = sections.find(({ code }) => code === sectionCodes.properties);
  const rest = sections.filter(({ code }) => code > sectionCodes.properties).map(({ whole }) => whole);
  const first = hasId && properties ? properties.whole : withMessageId(properties, messageId);
  return Buffer.concat([first, ...rest]);
}

function toFilterValue(value: unknown): FilterValue {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (value instanceof Date) return value;
  return Buffer.isBuffer(value) && value.length === 8 ? Number(value.readBigInt64BE()) : null;
}

function toSubject(head: Readonly<Record<string, unknown>>): FilterSubject {
  const properties = Object.entries(head.application_properties ?? {});
  return {
    system: {
      contenttype: toFilterValue(head.content_type),
      correlationid: toFilterValue(head.correlation_id),
      label: toFilterValue(head.subject),
      messageid: toFilterValue(head.message_id),
      replyto: toFilterValue(head.reply_to),
      replytosessionid: toFilterValue(head.reply_to_group_id),
      sessionid: toFilterValue(head.group_id),
      to: toFilterValue(head.to),
    },
    application: new Map(properties.map(([name, value]) => [name.toLowerCase(), toFilterValue(value)])),
  };
}

/** Reads one encoded message. Throws if the bytes are not a message. */
export function readIncomingMessage(bytes: Buffer): IncomingMessage {
  const sections = splitSections(bytes);
  const head = decode(sections.filter(({ code }) => code < sectionCodes.data));
  const sentAnnotations = sections.find(({ code }) => code === sectionCodes.messageAnnotations);
  const annotations = (head.message_annotations ?? {}) as Record<string, unknown>;
  const sentId = toIdText(head.message_id);
  const messageId = sentId || randomUUID().replaceAll('-', '');
  return {
    messageId,
    ttlMs: typeof head.ttl === 'number' ? head.ttl : undefined,
    durable: typeof head.durable === 'boolean' ? head.durable : undefined,
    priority: typeof head.priority === 'number' ? head.priority : undefined,
    scheduledAt: toTime(annotations['x-opt-scheduled-enqueue-time']),
    annotations: sentAnnotations ? keepForeignAnnotations(sentAnnotations.value) : emptyMap,
    bare: bareSections(sections, messageId, Boolean(sentId)),
    subject: toSubject({ ...head, message_id: messageId }),
  };
}

/** Reads a batch, an envelope in which each data section is one message. Throws if the bytes are not a batch. */
export function readIncomingBatch(bytes: Buffer): IncomingMessage[] {
  const data = splitSections(bytes).filter(({ code }) => code === sectionCodes.data);
  return data.map(({ value }) => readIncomingMessage(value.subarray(value.readUInt8(0) === 0xa0 ? 2 : 5)));
}

/** Reads the part of a bare message that filters can read. Throws if the bytes are not a message. */
export function readSubject(bare: Buffer): FilterSubject {
  return toSubject(decode(splitSections(bare).filter(({ code }) => code < sectionCodes.data)));
}
