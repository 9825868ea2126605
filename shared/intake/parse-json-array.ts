/**
 * A JSON array, split into its elements as it streams in: bytes are looked at only for strings, brackets and commas, and
 * JSON.parse judges each element. What is stored are the element's own bytes, so that numbers keep their digits.
 */
import { Problem } from '../errors.ts';
import { findJsonFault } from './json-fault.ts';
import type { UploadLimits } from './limits.ts';
import { advance, malformed, type Position, requireUtf8, START } from './position.ts';
import { createBlockBuilder, type RecordBlock } from './record-block.ts';

const [LF, CR, TAB, SPACE] = [0x0a, 0x0d, 0x09, 0x20];
const [COMMA, QUOTE, BACKSLASH] = [0x2c, 0x22, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * The elements of a JSON array: any JSON values. Line breaks between an element's tokens are taken out with the
 * indentation behind them, the rest is kept byte for byte. Nothing but whitespace decodes to no records.
 * @throws Problem 'malformed-record' at the first fault; 'too-large' for an element over `maxRecordBytes` (counted with
 * its whitespace).
 */
export async function* parseJsonArray(
  source: AsyncIterable<Buffer>,
  limits: Pick<UploadLimits, 'maxRecordBytes'>,
): AsyncGenerator<RecordBlock> {
  const builder = createBlockBuilder();
  const splitter = new ArraySplitter(limits.maxRecordBytes, (bytes, line) => builder.add(bytes, line));
  for await (const piece of source) {
    splitter.push(piece);
    const block = builder.full ? builder.take() : undefined;
    if (block) yield block;
  }
  splitter.end();
  const last = builder.take();
  if (last) yield last;
}

type State = 'before array' | 'first element' | 'next element' | 'inside element' | 'behind element' | 'behind array';

class ArraySplitter {
  readonly #maxBytes: number;
  readonly #emit: (bytes: Buffer, line: number) => void;
  #state: State = 'before array';
  /** Inside an element: where that begins. */
  #at: Position = START;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;

  constructor(maxBytes: number, emit: (bytes: Buffer, line: number) => void) {
    this.#maxBytes = maxBytes;
    this.#emit = emit;
  }

  push(piece: Buffer): void {
    let offset = 0;
    while (offset < piece.length)
      offset = this.#state === 'inside element' ? this.#readElement(piece, offset) : this.#readBetween(piece, offset);
  }

  end(): void {
    if (this.#state === 'behind array' || this.#state === 'before array') return;
    const text = this.#partialText();
    const fault = this.#state === 'inside element' ? findJsonFault(text) : undefined;
    const at = advance(this.#at, text.slice(0, fault?.offset));
    throw malformed(at, fault?.message ?? 'The upload ends before the array does.');
  }

  /** Reads one byte outside of elements, where all that may come is ASCII; an element's first byte is left to be read. */
  #readBetween(piece: Buffer, offset: number): number {
    const byte = piece[offset];
    if (byte !== SPACE && byte !== LF && byte !== CR && byte !== TAB) {
      const next = this.#stateAfter(byte);
      if (next === undefined) throw malformed(this.#at, `Expected ${EXPECTATION[this.#state]}.`);
      this.#state = next;
      if (next === 'inside element') return offset;
    }
    this.#at =
      byte === LF ? { line: this.#at.line + 1, column: 1 } : { line: this.#at.line, column: this.#at.column + 1 };
    return offset + 1;
  }

  #stateAfter(byte: number | undefined): State | undefined {
    switch (this.#state) {
      case 'before array':
        return byte === OPEN_ARRAY ? 'first element' : undefined;
      case 'first element':
        if (byte === CLOSE_ARRAY) return 'behind array';
        return byte === COMMA ? undefined : 'inside element';
      case 'next element':
        return byte === COMMA || byte === CLOSE_ARRAY ? undefined : 'inside element';
      case 'behind element':
        return byte === COMMA ? 'next element' : 'behind array';
      default:
        return undefined;
    }
  }

  #readElement(piece: Buffer, start: number): number {
    const end = this.#findEnd(piece, start);
    this.#pendingBytes += end - start;
    this.#pending.push(piece.subarray(start, end));
    if (this.#pendingBytes > this.#maxBytes) this.#refuseLong();
    if (end < piece.length) this.#finishElement();
    return end;
  }

  /** The offset of the comma or bracket behind the element, or the piece's length when the element goes on. */
  #findEnd(piece: Buffer, start: number): number {
    let offset = start;
    for (; offset < piece.length; offset++) {
      const byte = piece[offset];
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
      } else if (byte === QUOTE) this.#inString = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#depth++;
      else if (this.#depth === 0) {
        if (byte === COMMA || byte === CLOSE_ARRAY) return offset;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) this.#depth--;
    }
    return offset;
  }

  #finishElement(): void {
    const bytes = this.#takePending();
    requireUtf8(bytes, this.#at);
    const text = bytes.toString('utf8');
    requireJson(text, this.#at);
    this.#emit(oneLine(bytes, text), this.#at.line);
    this.#at = advance(this.#at, text);
    this.#state = 'behind element';
  }

  /** A missing quote or bracket makes an element of all that follows: then that is the fault, not the length. */
  #refuseLong(): never {
    const text = this.#partialText();
    const fault = findJsonFault(text);
    if (fault && fault.offset < text.length)
      throw malformed(advance(this.#at, text.slice(0, fault.offset)), fault.message);
    const message = `The record is over ${this.#maxBytes} bytes.`;
    throw new Problem('too-large', `Line ${this.#at.line}: ${message}`, { errors: [{ ...this.#at, message }] });
  }

  #partialText(): string {
    return this.#takePending().toString('utf8');
  }

  #takePending(): Buffer {
    const [first = Buffer.alloc(0), ...more] = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    return more.length === 0 ? first : Buffer.concat([first, ...more]);
  }
}

const EXPECTATION: Record<State, string> = {
  'before array': 'an array: "["',
  'first element': 'a value or "]"',
  'next element': 'a value',
  'inside element': 'a value',
  'behind element': '"," or "]"',
  'behind array': 'nothing behind the array',
};

function requireJson(text: string, at: Position): void {
  try {
    JSON.parse(text);
  } catch (error) {
    const { offset, message } = findJsonFault(text) ?? { offset: 0, message: String(error) };
    throw malformed(advance(at, text.slice(0, offset)), message);
  }
}

/** In valid JSON a line break stands between tokens only, where no whitespace is needed. */
function oneLine(bytes: Buffer, text: string): Buffer {
  if (bytes.includes(LF) || bytes.includes(CR)) return Buffer.from(text.replace(/[\r\n][ \t\r\n]*/g, '').trimEnd());
  let end = bytes.length;
  while (bytes[end - 1] === SPACE || bytes[end - 1] === TAB) end--;
  return bytes.subarray(0, end);
}
