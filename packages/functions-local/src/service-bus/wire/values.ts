/**
 * AMQP 1.0 values as bytes. Messages are passed through encoded wherever possible: decoding them and encoding them again
 * would lose the AMQP types of values, which JavaScript does not distinguish.
 */

/**
 * Size in bytes of fixed-width values, by the upper half of their constructor. Constructors from 0xa to 0xf have a size field
 * instead.
 */
const fixedWidths: Readonly<Record<number, number>> = { 4: 0, 5: 1, 6: 2, 7: 4, 8: 8, 9: 16 };

/** Returns the offset after the value at `at`. Throws on an unknown constructor and on a value that exceeds the message. */
export function skipValue(bytes: Buffer, at: number): number {
  const code = bytes.readUInt8(at);
  if (code === 0) return skipValue(bytes, skipValue(bytes, at + 1));
  const family = code >>> 4;
  const fixed = fixedWidths[family];
  if (fixed === undefined && family < 0xa) throw new Error(`AMQP: unknown constructor 0x${code.toString(16)}`);
  const sized = family % 2 === 0 ? () => 2 + bytes.readUInt8(at + 1) : () => 5 + bytes.readUInt32BE(at + 1);
  const end = at + (fixed === undefined ? sized() : 1 + fixed);
  if (end > bytes.length) throw new Error('AMQP: a value exceeds the message');
  return end;
}

/** Returns the elements of a list or map (alternating keys and values), each still encoded. */
export function readElements(bytes: Buffer): Buffer[] {
  const code = bytes.readUInt8(0);
  if (code === 0x45) return [];
  const small = code === 0xc0 || code === 0xc1;
  if (!small && code !== 0xd0 && code !== 0xd1) throw new Error('AMQP: expected a list or map');
  const count = small ? bytes.readUInt8(2) : bytes.readUInt32BE(5);
  const elements: Buffer[] = [];
  let at = small ? 3 : 9;
  for (let i = 0; i < count; i++) {
    const end = skipValue(bytes, at);
    elements.push(bytes.subarray(at, end));
    at = end;
  }
  return elements;
}

function writeCompound(code: number, elements: readonly Buffer[]): Buffer {
  const head = Buffer.allocUnsafe(9);
  const size = elements.reduce((sum, element) => sum + element.length, 4);
  head.writeUInt8(code, 0);
  head.writeUInt32BE(size, 1);
  head.writeUInt32BE(elements.length, 5);
  return Buffer.concat([head, ...elements]);
}

/** Writes a list of encoded elements. */
export function writeList(elements: readonly Buffer[]): Buffer {
  return writeCompound(0xd0, elements);
}

/** Writes a map of alternating encoded keys and values. */
export function writeMap(elements: readonly Buffer[]): Buffer {
  return writeCompound(0xd1, elements);
}

function writeText(small: number, large: number, text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = length < 256 ? 2 : 5;
  const bytes = Buffer.allocUnsafe(head + length);
  bytes.writeUInt8(head === 2 ? small : large, 0);
  if (head === 2) bytes.writeUInt8(length, 1);
  else bytes.writeUInt32BE(length, 1);
  bytes.write(text, head);
  return bytes;
}

/** Writes a string. */
export function writeString(text: string): Buffer {
  return writeText(0xa1, 0xb1, text);
}

/** Writes a symbol. */
export function writeSymbol(text: string): Buffer {
  return writeText(0xa3, 0xb3, text);
}

function writeEightBytes(code: number, value: number): Buffer {
  const bytes = Buffer.allocUnsafe(9);
  bytes.writeUInt8(code, 0);
  bytes.writeBigInt64BE(BigInt(value), 1);
  return bytes;
}

/** Writes a long. */
export function writeLong(value: number): Buffer {
  return writeEightBytes(0x81, value);
}

/** Writes a timestamp, in milliseconds since 1970. */
export function writeTimestamp(ms: number): Buffer {
  return writeEightBytes(0x83, ms);
}

/** Writes an int. */
export function writeInt(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(5);
  bytes.writeUInt8(0x71, 0);
  bytes.writeInt32BE(value, 1);
  return bytes;
}

/** Writes a ubyte. */
export function writeUbyte(value: number): Buffer {
  return Buffer.of(0x50, value);
}

/** Writes a uint. */
export function writeUint(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(5);
  bytes.writeUInt8(0x70, 0);
  bytes.writeUInt32BE(value, 1);
  return bytes;
}

function writeDouble(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(9);
  bytes.writeUInt8(0x82, 0);
  bytes.writeDoubleBE(value, 1);
  return bytes;
}

/** The encoded null. */
export const encodedNull = Buffer.of(0x40);

/** Writes the value of an application property. Throws on an unsupported type, such as an object. */
export function writeSimple(value: unknown): Buffer {
  if (value === null || value === undefined) return encodedNull;
  if (typeof value === 'string') return writeString(value);
  if (typeof value === 'boolean') return Buffer.of(value ? 0x41 : 0x42);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? writeLong(value) : writeDouble(value);
  if (value instanceof Date) return writeTimestamp(value.getTime());
  if (Buffer.isBuffer(value) && value.length === 8) return Buffer.concat([Buffer.of(0x81), value]);
  throw new Error(
    `AMQP: expected a string, number, boolean, date or null as application property, got ${JSON.stringify(value)}`,
  );
}
