/** Finds the start and end of the elements of a JSON array, byte by byte, without validating them. */
import { BlankBytes, tooLarge } from '../limits.ts';
import { findJsonFault } from './json-fault.ts';
import { jsonEnd, NOT_RECOGNISED } from './json-scan.ts';
import { PendingBytes } from './pending-bytes.ts';
import { advance, malformed, type Position, type SourcePoint, START } from './position.ts';

const [LF, CR, TAB, SPACE] = [0x0a, 0x0d, 0x09, 0x20];
const [COMMA, QUOTE, BACKSLASH] = [0x2c, 0x22, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
/** If the text is cut inside a token (at most `\\u123`), a fault there is ignored: the rest may be valid. */
const CUT_TOKEN = 6;

type State = 'before array' | 'first element' | 'next element' | 'inside element' | 'behind element' | 'behind array';

/**
 * Receives an element's bytes, including trailing whitespace, and its position; returns the position after it. `isJson`:
 * the element is known to be JSON on one line, provided that its strings are UTF-8.
 */
export type OnElement = (bytes: Buffer, at: SourcePoint, isJson: boolean) => Position;

/** Reads an array that is pushed in pieces. Holds at most one element, of at most `maxBytes`. */
export class ArraySplitter {
  readonly #maxBytes: number;
  readonly #onElement: OnElement;
  #state: State = 'before array';
  /** Bytes of the upload before the current piece, and before the current element. */
  #read: number;
  #from = 0;
  /** The current position; inside an element, the position where it begins. */
  #at: Position;
  /** A copy of the current piece, followed by a line feed. */
  #ended = Buffer.alloc(0);
  readonly #pending = new PendingBytes();
  readonly #blank = new BlankBytes();
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** With `resume`, the pieces begin at its place, which is the start of an element. */
  constructor(maxBytes: number, onElement: OnElement, resume?: SourcePoint) {
    if (resume) this.#state = 'next element';
    this.#read = resume?.offset ?? 0;
    this.#at = resume ?? START;
    this.#maxBytes = maxBytes;
    this.#onElement = onElement;
  }

  /**
   * Reads the next piece.
   * @throws Problem 'malformed-record' or 'too-large', and any error of the callback.
   */
  push(piece: Buffer): void {
    if (this.#ended.length <= piece.length) this.#ended = Buffer.allocUnsafe(piece.length + 1);
    this.#ended.set(piece);
    this.#ended[piece.length] = LF;
    let offset = 0;
    while (offset < piece.length)
      offset = this.#state === 'inside element' ? this.#readElement(piece, offset) : this.#readBetween(piece, offset);
    this.#read += piece.length;
  }

  /**
   * Call at the end of the upload.
   * @throws Problem 'malformed-record' if the array is not closed. An upload that contains only whitespace is accepted as
   * empty.
   */
  end(): void {
    if (this.#state === 'behind array' || this.#state === 'before array') return;
    const text = this.#pending.take().toString('utf8');
    this.#refuseFault(text);
    throw malformed(advance(this.#at, text), 'The upload ends before the array is closed.');
  }

  /** Reads up to the next character outside of elements; the first byte of an element is not consumed. */
  #readBetween(piece: Buffer, start: number): number {
    const offset = this.#skipBlank(piece, start);
    if (offset === piece.length) return offset;
    const next = stateAfter(this.#state, piece[offset]);
    if (next === undefined) throw malformed(this.#at, `Expected ${EXPECTATION[this.#state]}.`);
    this.#state = next;
    if (next !== 'inside element') {
      this.#at = { line: this.#at.line, column: this.#at.column + 1 };
      return offset + 1;
    }
    this.#from = this.#read + offset;
    this.#blank.end();
    return offset;
  }

  /** Returns the offset of the first byte that is not whitespace. */
  #skipBlank(piece: Buffer, start: number): number {
    let offset = start;
    let breaks = 0;
    let lineStart = start;
    for (; offset < piece.length; offset++) {
      const byte = piece[offset];
      if (byte === LF) {
        breaks++;
        lineStart = offset + 1;
      } else if (byte !== SPACE && byte !== CR && byte !== TAB) break;
    }
    const { line, column } = this.#at;
    this.#blank.skip(offset - start, line);
    this.#at = { line: line + breaks, column: (breaks === 0 ? column : 1) + offset - lineStart };
    return offset;
  }

  #readElement(piece: Buffer, start: number): number {
    const known = this.#from === this.#read + start ? recognisedEnd(this.#ended, start) : undefined;
    const end = known ?? this.#findEnd(piece, start);
    const bytes = piece.subarray(start, end);
    if (this.#pending.size + bytes.length > this.#maxBytes) this.#refuseLong(bytes);
    if (end === piece.length) this.#pending.push(bytes);
    else {
      const at = { offset: this.#from, line: this.#at.line, column: this.#at.column };
      this.#at = this.#onElement(this.#pending.take(bytes), at, known !== undefined);
      this.#state = 'behind element';
    }
    return end;
  }

  /** Returns the offset of the comma or bracket after the element, or the piece's length if the element continues. */
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

  #refuseLong(last: Buffer): never {
    this.#refuseFault(this.#pending.take(last).subarray(0, this.#maxBytes).toString('utf8'));
    throw tooLarge(this.#at, `The record is over ${this.#maxBytes} bytes.`);
  }

  /** If a quote or bracket is missing, the rest becomes one element: reports that fault instead of the length. */
  #refuseFault(text: string): void {
    const fault = findJsonFault(text);
    if (fault && fault.offset < text.length - CUT_TOKEN)
      throw malformed(advance(this.#at, text.slice(0, fault.offset)), fault.message);
  }
}

/** Returns the offset after an element that is JSON on one line and ends in this piece; otherwise undefined. */
function recognisedEnd(piece: Buffer, start: number): number | undefined {
  const end = jsonEnd(piece, start);
  if (end === NOT_RECOGNISED) return undefined;
  return piece[end] === COMMA || piece[end] === CLOSE_ARRAY ? end : undefined;
}

const EXPECTATION: Record<State, string> = {
  'before array': 'an array: "["',
  'first element': 'a value or "]"',
  'next element': 'a value',
  'inside element': 'a value',
  'behind element': '"," or "]"',
  'behind array': 'nothing after the array',
};

function stateAfter(state: State, byte: number | undefined): State | undefined {
  switch (state) {
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
