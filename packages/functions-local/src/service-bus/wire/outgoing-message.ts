import type { StoredMessage } from '../broker/stored-message.ts';
import { sectionCodes, splitSections, writeSection } from './sections.ts';
import {
  encodedNull,
  readElements,
  writeInt,
  writeList,
  writeLong,
  writeMap,
  writeSimple,
  writeString,
  writeSymbol,
  writeTimestamp,
  writeUbyte,
  writeUint,
} from './values.ts';

const MAX_UINT = 0xffff_ffff;

const keys = {
  sequence: writeSymbol('x-opt-sequence-number'),
  enqueuedAt: writeSymbol('x-opt-enqueued-time'),
  enqueuedSequence: writeSymbol('x-opt-enqueue-sequence-number'),
  lockedUntil: writeSymbol('x-opt-locked-until'),
  state: writeSymbol('x-opt-message-state'),
};

/** Annotations of a delivery that are not stored with the message. */
export interface BrokerAnnotations {
  /** In milliseconds since 1970. Only for a message that is delivered with a lock. */
  readonly lockedUntil?: number;
  /** 0 means active, 2 means scheduled. Sent only for a peek. */
  readonly state?: 0 | 2;
}

function writeHeader({ ttlMs, deliveries, durable = true, priority }: StoredMessage): Buffer {
  const ttl = ttlMs === undefined ? encodedNull : writeUint(Math.min(ttlMs, MAX_UINT));
  const sent = [writeSimple(durable), priority === undefined ? encodedNull : writeUbyte(priority)];
  const fields = [...sent, ttl, encodedNull, writeUint(deliveries)];
  return writeSection(sectionCodes.header, writeList(fields));
}

function writeAnnotations(message: StoredMessage, { lockedUntil, state }: BrokerAnnotations): Buffer {
  const elements = readElements(message.annotations);
  elements.push(keys.sequence, writeLong(message.sequence), keys.enqueuedAt, writeTimestamp(message.enqueuedAt));
  elements.push(keys.enqueuedSequence, writeLong(message.enqueuedSequence));
  if (lockedUntil !== undefined) elements.push(keys.lockedUntil, writeTimestamp(lockedUntil));
  if (state !== undefined) elements.push(keys.state, writeInt(state));
  return writeSection(sectionCodes.messageAnnotations, writeMap(elements));
}

/** Encodes a stored message for a client. */
export function writeOutgoingMessage(message: StoredMessage, annotations: BrokerAnnotations): Buffer {
  return Buffer.concat([writeHeader(message), writeAnnotations(message, annotations), message.bare]);
}

function mergeMap(value: Buffer | undefined, properties: Readonly<Record<string, unknown>>): Buffer {
  const old = value ? readElements(value) : [];
  const changed = new Map(Object.entries(properties).map(([name, added]) => [name, writeSimple(added)]));
  const kept = old.filter((_, index) => {
    const key = old[index - (index % 2)] ?? encodedNull;
    return !changed.has(key.subarray(key.readUInt8(0) === 0xa1 ? 2 : 5).toString());
  });
  const added = [...changed].flatMap(([name, encoded]) => [writeString(name), encoded]);
  return writeMap([...kept, ...added]);
}

/** Returns the bare message with the application properties set. All other sections keep their bytes. */
export function mergeApplicationProperties(bare: Buffer, properties: Readonly<Record<string, unknown>>): Buffer {
  if (Object.keys(properties).length === 0) return bare;
  const sections = splitSections(bare);
  const code = sectionCodes.applicationProperties;
  const merged = mergeMap(sections.find((section) => section.code === code)?.value, properties);
  const before = sections.filter((section) => section.code < code).map(({ whole }) => whole);
  const after = sections.filter((section) => section.code > code).map(({ whole }) => whole);
  return Buffer.concat([...before, writeSection(code, merged), ...after]);
}
