/**
 * Finds the position of the first fault in a text that JSON.parse refused. V8's messages contain a position only sometimes,
 * and their wording changes between versions. Uses a loop with a stack instead of recursion, because the client controls
 * the nesting.
 */

import { findTooDeep, MAX_ITEM_NESTING } from '../../contract/text/nesting.ts';
import { advance, malformed, type Position } from './position.ts';

/** The first fault: its offset in UTF-16 units (the text's length if the text is truncated), and a message. */
export interface JsonFault {
  offset: number;
  message: string;
}

/**
 * Validates one record; `at` is the position of `text` in the upload.
 * @throws Problem 'malformed-record' with the position of the fault if `text` is not one JSON value, or is nested too deep.
 */
export function requireJson(text: string, at: Position): void {
  try {
    JSON.parse(text);
  } catch (error) {
    const { offset, message } = findJsonFault(text) ?? { offset: 0, message: String(error) };
    throw malformed(advance(at, text.slice(0, offset)), message);
  }
  const deep = findTooDeep(text, MAX_ITEM_NESTING);
  if (deep !== undefined)
    throw malformed(advance(at, text.slice(0, deep)), `Nested over ${MAX_ITEM_NESTING} levels deep.`);
}

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'separator' | 'end';

const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /(?:true|false|null)/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Returns the first fault of `text` as one JSON value (RFC 8259); undefined if it is valid. */
export function findJsonFault(text: string): JsonFault | undefined {
  const open: string[] = [];
  let expected: Expected = 'value';
  let offset = 0;
  for (;;) {
    offset = matchEnd(SPACE, text, offset) ?? offset;
    const char = text[offset];
    if (char === undefined) return expected === 'end' ? undefined : fault(text, offset, expected);
    const next = step(expected, char, open);
    if (next === undefined) return fault(text, offset, expected);
    const end = tokenEnd(text, offset);
    if (typeof end !== 'number') return end;
    offset = end;
    expected = next;
  }
}

/** Returns what is expected after the token that begins with `char`; undefined if that token is not expected. */
function step(expected: Expected, char: string, open: string[]): Expected | undefined {
  switch (expected) {
    case 'value or ]':
      return char === ']' ? close(open) : stepIntoValue(char, open);
    case 'value':
      return stepIntoValue(char, open);
    case 'key or }':
      return char === '}' ? close(open) : step('key', char, open);
    case 'key':
      return char === '"' ? 'colon' : undefined;
    case 'colon':
      return char === ':' ? 'value' : undefined;
    case 'separator':
      if (char === ',') return open.at(-1) === '[' ? 'value' : 'key';
      return char === (open.at(-1) === '[' ? ']' : '}') ? close(open) : undefined;
    case 'end':
      return undefined;
    default:
      return expected satisfies never;
  }
}

function stepIntoValue(char: string, open: string[]): Expected | undefined {
  if (char === '[' || char === '{') {
    open.push(char);
    return char === '[' ? 'value or ]' : 'key or }';
  }
  return /["\-\da-z]/i.test(char) ? afterValue(open) : undefined;
}

function close(open: string[]): Expected {
  open.pop();
  return afterValue(open);
}

const afterValue = (open: readonly string[]): Expected => (open.length === 0 ? 'end' : 'separator');

/** Returns the offset after the token at `offset`, or what is wrong with it. */
function tokenEnd(text: string, offset: number): number | JsonFault {
  const char = text[offset] ?? '';
  if (char === '"') return stringEnd(text, offset);
  if (/[-\d]/.test(char)) return matchEnd(NUMBER, text, offset) ?? { offset, message: 'Not a valid JSON number.' };
  if (!/[a-z]/i.test(char)) return offset + 1;
  return matchEnd(WORD, text, offset) ?? { offset, message: 'Unknown word; JSON has true, false and null.' };
}

function stringEnd(text: string, start: number): number | JsonFault {
  let offset = start + 1;
  while (offset < text.length) {
    const code = text.charCodeAt(offset);
    if (code === 0x22) return offset + 1;
    if (code < 0x20) return { offset, message: 'Control character in a string; escape it.' };
    const end = code === 0x5c ? matchEnd(ESCAPE, text, offset) : offset + 1;
    if (end === undefined) return { offset, message: 'Bad escape in a string.' };
    offset = end;
  }
  return { offset, message: 'Text ends inside a string.' };
}

function matchEnd(pattern: RegExp, text: string, offset: number): number | undefined {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

const EXPECTATION: Record<Expected, string> = {
  value: 'a value',
  'value or ]': 'a value or "]"',
  key: 'a property name in double quotes',
  'key or }': 'a property name in double quotes or "}"',
  colon: '":"',
  separator: '"," or a closing bracket',
  end: 'the end of the record',
};

function fault(text: string, offset: number, expected: Expected): JsonFault {
  const got = offset < text.length ? JSON.stringify(String.fromCodePoint(text.codePointAt(offset) ?? 0)) : 'the end';
  return { offset, message: `Expected ${EXPECTATION[expected]}, got ${got}.` };
}
