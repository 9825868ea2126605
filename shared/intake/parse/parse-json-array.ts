/** Splits a JSON array into elements as it arrives. The original bytes are stored: numbers keep their digits. */

import { isAscii } from 'node:buffer';
import type { UploadLimits } from '../limits.ts';
import { ArraySplitter, type OnElement } from './array-splitter.ts';
import { requireJson } from './json-fault.ts';
import { advance, requireUtf8 } from './position.ts';
import { BlockBuilder, type ParserResume, type RecordBlock } from './record-block.ts';

const [LF, CR, TAB, SPACE] = [0x0a, 0x0d, 0x09, 0x20];

/**
 * Returns the elements of a JSON array, which may be any JSON values. Line breaks between an element's tokens are removed
 * with the indentation after them; the rest is kept byte for byte. An upload of whitespace contains no records. With
 * `resume`, `source` begins at its place, inside the array.
 * @throws Problem 'malformed-record' at the first fault; 'too-large' for an element over `maxRecordBytes` (including its
 * whitespace).
 */
export async function* parseJsonArray(
  source: AsyncIterable<Buffer>,
  limits: Pick<UploadLimits, 'maxRecordBytes'>,
  resume?: ParserResume,
): AsyncGenerator<RecordBlock> {
  const builder = new BlockBuilder();
  const splitter = new ArraySplitter(limits.maxRecordBytes, addTo(builder), resume?.at);
  try {
    for await (const piece of source) {
      splitter.push(piece);
      const block = builder.full ? builder.take() : undefined;
      if (block) yield block;
    }
    splitter.end();
  } catch (error) {
    const block = builder.take();
    if (block) yield block;
    throw error;
  }
  const last = builder.take();
  if (last) yield last;
}

const addTo =
  (builder: BlockBuilder): OnElement =>
  (bytes, at, isJson) => {
    if (isJson && isAscii(bytes)) {
      builder.add(trimmed(bytes), at);
      return { line: at.line, column: at.column + bytes.length };
    }
    requireUtf8(bytes, at);
    const text = bytes.toString('utf8');
    if (!isJson) requireJson(text, at);
    builder.add(isJson ? trimmed(bytes) : oneLine(bytes, text), at);
    return advance(at, text);
  };

/** In valid JSON a line break occurs only between tokens, where no whitespace is required. */
function oneLine(bytes: Buffer, text: string): Buffer {
  if (bytes.includes(LF) || bytes.includes(CR)) return Buffer.from(text.replace(/[\r\n][ \t\r\n]*/g, '').trimEnd());
  return trimmed(bytes);
}

function trimmed(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (bytes[end - 1] === SPACE || bytes[end - 1] === TAB) end--;
  return end === bytes.length ? bytes : bytes.subarray(0, end);
}
