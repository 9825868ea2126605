import { skipValue } from './values.ts';

/** The sections of a message, with the codes of their descriptors. */
export const sectionCodes = {
  header: 0x70,
  deliveryAnnotations: 0x71,
  messageAnnotations: 0x72,
  properties: 0x73,
  applicationProperties: 0x74,
  data: 0x75,
} as const;

/** A section of an encoded message. */
export interface Section {
  readonly code: number;
  /** The section including its descriptor. */
  readonly whole: Buffer;
  /** The described value only. */
  readonly value: Buffer;
}

function readCode(bytes: Buffer, at: number): number {
  if (bytes.readUInt8(at) !== 0) throw new Error('AMQP: expected a message section');
  const kind = bytes.readUInt8(at + 1);
  if (kind === 0x53) return bytes.readUInt8(at + 2);
  if (kind === 0x80) return Number(bytes.readBigUInt64BE(at + 2));
  throw new Error('AMQP: expected a numeric section descriptor');
}

/** Splits a message into its sections. Throws if the bytes are not a message. */
export function splitSections(bytes: Buffer): Section[] {
  const sections: Section[] = [];
  let at = 0;
  while (at < bytes.length) {
    const code = readCode(bytes, at);
    const valueAt = skipValue(bytes, at + 1);
    const end = skipValue(bytes, valueAt);
    sections.push({ code, whole: bytes.subarray(at, end), value: bytes.subarray(valueAt, end) });
    at = end;
  }
  return sections;
}

/** Writes a section with this code around an encoded value. */
export function writeSection(code: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0x00, 0x53, code), value]);
}
