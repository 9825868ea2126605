/**
 * Finds the parts of a JSON text without parsing it, so that a large body is not parsed as a whole and its numbers keep all
 * digits. The parts are not validated: JSON.parse must accept each of them.
 */
import { CLOSE_ARRAY, CLOSE_OBJECT, closingQuote, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './nesting.ts';

const WHITE_SPACE = /[ \t\r\n]*/y;
const SCALAR = /[^ \t\r\n,\]}]*/y;

/** A member of an object. A caller that knows where its value ends may set `end`; otherwise the next step searches for it. */
export interface RawMember {
  name: string;
  start: number;
  end?: number;
}

/**
 * Returns the members of the object at `start`, in order, also repeated ones.
 * @throws SyntaxError if the text around the values is not that of an object.
 */
export function* rawMembers(text: string, start = 0): Generator<RawMember> {
  let at = opened(text, start, '{');
  if (text[at] === '}') return;
  for (;;) {
    if (text[at] !== '"') throw unexpected(at);
    const nameEnd = stringEnd(text, at);
    const name = JSON.parse(text.slice(at, nameEnd)) as string;
    const colon = skip(WHITE_SPACE, text, nameEnd);
    if (text[colon] !== ':') throw unexpected(colon);
    const member: RawMember = { name, start: skip(WHITE_SPACE, text, colon + 1) };
    yield member;
    at = skip(WHITE_SPACE, text, member.end ?? valueEnd(text, member.start));
    if (text[at] === '}') return;
    if (text[at] !== ',') throw unexpected(at);
    at = skip(WHITE_SPACE, text, at + 1);
  }
}

/**
 * Returns the elements of the array at `start`, in order.
 * @throws SyntaxError if the text around the elements is not that of an array; RangeError for an element over `most`
 * characters, without reading more of it.
 */
export function* rawElements(text: string, start: number, most: number): Generator<{ start: number; end: number }> {
  let at = opened(text, start, '[');
  if (text[at] === ']') return;
  for (;;) {
    const end = valueEnd(text, at, most);
    yield { start: at, end };
    at = skip(WHITE_SPACE, text, end);
    if (text[at] === ']') return;
    if (text[at] !== ',') throw unexpected(at);
    at = skip(WHITE_SPACE, text, at + 1);
  }
}

/**
 * Returns the position after the value at `start`.
 * @throws SyntaxError if there is none, or it has no end; RangeError if it has over `most` characters.
 */
export function valueEnd(text: string, start: number, most = text.length): number {
  const first = text.charCodeAt(start);
  const isNested = first === OPEN_OBJECT || first === OPEN_ARRAY;
  const end =
    first === QUOTE ? stringEnd(text, start) : isNested ? nestedEnd(text, start, most) : skip(SCALAR, text, start);
  if (end === start) throw unexpected(start);
  if (end - start > most) throw tooLong(most);
  return end;
}

/** Returns the position after an opening bracket and white space. */
function opened(text: string, start: number, bracket: string): number {
  const at = skip(WHITE_SPACE, text, start);
  if (text[at] !== bracket) throw unexpected(at);
  return skip(WHITE_SPACE, text, at + 1);
}

function nestedEnd(text: string, start: number, most: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at) - 1;
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth += 1;
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) depth -= 1;
    if (depth === 0) return at + 1;
    if (at - start > most) throw tooLong(most);
  }
  throw unexpected(text.length);
}

/** Returns the position after the string which begins at `start`. */
function stringEnd(text: string, start: number): number {
  const end = closingQuote(text, start);
  if (end === text.length) throw unexpected(end);
  return end + 1;
}

function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  pattern.exec(text);
  return pattern.lastIndex;
}

const unexpected = (at: number): SyntaxError => new SyntaxError(`Unexpected JSON at character ${at + 1}.`);
const tooLong = (most: number): RangeError => new RangeError(`A value has over ${most} characters.`);
