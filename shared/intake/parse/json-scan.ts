/**
 * Recognises JSON in bytes. It reads each byte once and creates neither texts nor objects, so there is no garbage to
 * collect. It needs a fifth of the CPU time of decoding a record of 180 bytes and JSON.parse. It recognises only valid
 * values, and nearly all of them. `requireJson` checks all others and reports what is wrong, if anything.
 */
import { MAX_ITEM_NESTING } from '../../contract/text/nesting.ts';

/** Returned where no value was recognised. */
export const NOT_RECOGNISED = -1;

const [LF, CR, TAB, SPACE] = [0x0a, 0x0d, 0x09, 0x20];
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [MINUS, PLUS, POINT, ZERO, NINE] = [0x2d, 0x2b, 0x2e, 0x30, 0x39];
const [SMALL_E, SMALL_F, SMALL_N, SMALL_T, SMALL_U] = [0x65, 0x66, 0x6e, 0x74, 0x75];
/** Bit that converts an ASCII letter to lower case. */
const TO_SMALL = 0x20;
const HEX_DIGITS = 4;

const tableOf = (characters: string): Uint8Array => {
  const table = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) table[byte] = 1;
  return table;
};
const IS_HEX = tableOf('0123456789abcdefABCDEF');
const IS_ESCAPED = tableOf('"\\/bfnrt');
const [TRUE, FALSE, NULL] = [Buffer.from('true'), Buffer.from('false'), Buffer.from('null')];

/**
 * Returns the offset of the line feed that ends the line at `start`, if the line is one JSON value: RFC 8259, with at most
 * MAX_ITEM_NESTING levels, and with spaces and tabs around its tokens. Otherwise returns NOT_RECOGNISED, also for a line
 * with a CR before its end. Does not check that strings are valid UTF-8. There must be a line feed at or after `start`,
 * because no read goes beyond it: a single read after the end of an array makes V8 compile a version that is three times
 * slower.
 */
export function jsonLineEnd(bytes: Uint8Array, start: number): number {
  let end = jsonEnd(bytes, start);
  if (end === NOT_RECOGNISED) return NOT_RECOGNISED;
  if (bytes[end] === CR) end++;
  return bytes[end] === LF ? end : NOT_RECOGNISED;
}

/**
 * Like `jsonLineEnd`, but returns the offset after the value and the spaces and tabs that follow it, and accepts any next
 * byte.
 */
export function jsonEnd(bytes: Uint8Array, start: number): number {
  const end = valueEnd(bytes, skipSpace(bytes, start), MAX_ITEM_NESTING);
  return end === NOT_RECOGNISED ? NOT_RECOGNISED : skipSpace(bytes, end);
}

/** `levels`: how many more levels may be opened. This limits the recursion. */
function valueEnd(bytes: Uint8Array, start: number, levels: number): number {
  switch (bytes[start]) {
    case QUOTE:
      return stringEnd(bytes, start + 1);
    case OPEN_OBJECT:
      return levels === 0 ? NOT_RECOGNISED : objectEnd(bytes, start + 1, levels - 1);
    case OPEN_ARRAY:
      return levels === 0 ? NOT_RECOGNISED : arrayEnd(bytes, start + 1, levels - 1);
    case SMALL_T:
      return wordEnd(bytes, start, TRUE);
    case SMALL_F:
      return wordEnd(bytes, start, FALSE);
    case SMALL_N:
      return wordEnd(bytes, start, NULL);
    default:
      return numberEnd(bytes, start);
  }
}

/** `start` is after the opening bracket or quote, as in the next functions. */
function objectEnd(bytes: Uint8Array, start: number, levels: number): number {
  let at = skipSpace(bytes, start);
  if (bytes[at] === CLOSE_OBJECT) return at + 1;
  for (;;) {
    if (bytes[at] !== QUOTE) return NOT_RECOGNISED;
    at = stringEnd(bytes, at + 1);
    if (at === NOT_RECOGNISED) return NOT_RECOGNISED;
    at = skipSpace(bytes, at);
    if (bytes[at] !== COLON) return NOT_RECOGNISED;
    at = valueEnd(bytes, skipSpace(bytes, at + 1), levels);
    if (at === NOT_RECOGNISED) return NOT_RECOGNISED;
    at = skipSpace(bytes, at);
    if (bytes[at] === CLOSE_OBJECT) return at + 1;
    if (bytes[at] !== COMMA) return NOT_RECOGNISED;
    at = skipSpace(bytes, at + 1);
  }
}

function arrayEnd(bytes: Uint8Array, start: number, levels: number): number {
  let at = skipSpace(bytes, start);
  if (bytes[at] === CLOSE_ARRAY) return at + 1;
  for (;;) {
    at = valueEnd(bytes, at, levels);
    if (at === NOT_RECOGNISED) return NOT_RECOGNISED;
    at = skipSpace(bytes, at);
    if (bytes[at] === CLOSE_ARRAY) return at + 1;
    if (bytes[at] !== COMMA) return NOT_RECOGNISED;
    at = skipSpace(bytes, at + 1);
  }
}

function stringEnd(bytes: Uint8Array, start: number): number {
  for (let at = start; ; at++) {
    let byte = byteAt(bytes, at);
    while (byte !== QUOTE && byte !== BACKSLASH && byte >= SPACE) byte = byteAt(bytes, ++at);
    if (byte === QUOTE) return at + 1;
    if (byte !== BACKSLASH) return NOT_RECOGNISED;
    at = escapeEnd(bytes, at + 1);
    if (at === NOT_RECOGNISED) return NOT_RECOGNISED;
  }
}

/** Returns the offset of the last byte of an escape. */
function escapeEnd(bytes: Uint8Array, start: number): number {
  const byte = byteAt(bytes, start);
  if (byte !== SMALL_U) return IS_ESCAPED[byte] === 1 ? start : NOT_RECOGNISED;
  for (let digit = 1; digit <= HEX_DIGITS; digit++)
    if (IS_HEX[byteAt(bytes, start + digit)] !== 1) return NOT_RECOGNISED;
  return start + HEX_DIGITS;
}

function numberEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  if (bytes[at] === MINUS) at++;
  const whole = at;
  at = bytes[at] === ZERO ? at + 1 : digitsEnd(bytes, at);
  if (at === whole) return NOT_RECOGNISED;
  if (bytes[at] === POINT) {
    const fraction = at + 1;
    at = digitsEnd(bytes, fraction);
    if (at === fraction) return NOT_RECOGNISED;
  }
  if ((byteAt(bytes, at) | TO_SMALL) !== SMALL_E) return at;
  const sign = byteAt(bytes, at + 1);
  const exponent = sign === MINUS || sign === PLUS ? at + 2 : at + 1;
  at = digitsEnd(bytes, exponent);
  return at === exponent ? NOT_RECOGNISED : at;
}

function digitsEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let byte = byteAt(bytes, at); byte >= ZERO && byte <= NINE; byte = byteAt(bytes, at)) at++;
  return at;
}

function wordEnd(bytes: Uint8Array, start: number, word: Uint8Array): number {
  for (let index = 1; index < word.length; index++) if (bytes[start + index] !== word[index]) return NOT_RECOGNISED;
  return start + word.length;
}

function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let byte = byteAt(bytes, at); byte === SPACE || byte === TAB; byte = byteAt(bytes, at)) at++;
  return at;
}

/** `at` is never after the end. With `?? 0` each byte would cost a branch. */
const byteAt = (bytes: Uint8Array, at: number): number => bytes[at] as number;
