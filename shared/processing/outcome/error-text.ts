import { inspect } from 'node:util';
import type { Attempt, ErrorText, Issue } from '../../contract/outcome.ts';
import { InvalidItem } from '../../workload/validate-item.ts';
import { stackFrames } from './stack-frames.ts';

export type { ErrorText } from '../../contract/outcome.ts';

/** Longer messages are cut: an error may contain a whole response body, and a chunk has thousands of items. */
export const MAX_MESSAGE_CHARS = 2_000;
/** Longer names and codes are cut: they are free text in the wrong place. */
const MAX_NAME_CHARS = 200;
const MAX_CODE_CHARS = 100;
/** Twenty texts of 500 characters exceed the length that is kept of a message. */
const MAX_SHOWN_ENTRIES = 20;
const MAX_SHOWN_CHARS = 500;

/** At most about 8,000 characters, the same as the issues of an invalid item. A typical error has 500. */
const DEAD_LETTER = { message: MAX_MESSAGE_CHARS, frames: 5, causes: 4, causeMessage: 500, causeFrames: 2 };
/** At most about 2,600 characters: an item carries all its attempts through every retry. */
const ATTEMPT = { message: 500, frames: 2, causes: 2, causeMessage: 200, causeFrames: 1 };

/** Converts a thrown value to the error of a dead letter. Never throws, even if a getter or a proxy does. */
export function toErrorText(thrown: unknown): ErrorText {
  const { issues, moreIssues } = isInstance(thrown, InvalidItem) ? thrown : NO_ISSUES;
  const causes = causesOf(thrown).map((cause) => textOf(cause, DEAD_LETTER.causeMessage, DEAD_LETTER.causeFrames));
  return {
    ...textOf(thrown, DEAD_LETTER.message, DEAD_LETTER.frames),
    ...(causes.length > 0 && { causes }),
    ...(issues.length > 0 && { issues: [...issues] }),
    ...(moreIssues > 0 && { moreIssues }),
  };
}

/** Returns the error as an attempt keeps it: shorter texts, fewer frames and causes, no issues. */
export function attemptError({ issues, moreIssues, ...error }: ErrorText): ErrorText {
  const causes = error.causes
    ?.slice(0, ATTEMPT.causes)
    .map((cause) => shortened(cause, ATTEMPT.causeMessage, ATTEMPT.causeFrames));
  return { ...shortened(error, ATTEMPT.message, ATTEMPT.frames), ...(causes && { causes }) };
}

/** Returns name and message on one line. Attempts that were stored earlier contain that line as text. */
export const errorLine = (error: Attempt['error']): string =>
  typeof error === 'string' ? error : `${error.name}: ${error.message}`;

/** `instanceof` for thrown values: with a proxy, the operator itself may throw. */
export const isInstance = <T>(thrown: unknown, type: abstract new (...args: never[]) => T): thrown is T =>
  read(() => thrown instanceof type) ?? false;

type Text = Omit<ErrorText, 'causes' | 'issues' | 'moreIssues'>;

function shortened<T extends Text>(error: T, chars: number, frames: number): T {
  const { message, stack } = error;
  return { ...error, message: cut(message, chars, lengthOf(message)), ...(stack && { stack: stack.slice(0, frames) }) };
}

function textOf(thrown: unknown, chars: number, frames: number): Text {
  const { name, message } = nameAndMessage(thrown);
  const code = codeOf(thrown);
  const trace = isOfPipeline(thrown) ? undefined : field(thrown, 'stack');
  const stack = typeof trace === 'string' ? stackFrames(trace, message, frames) : [];
  return {
    name: name.slice(0, MAX_NAME_CHARS),
    message: cut(message, chars),
    ...(code !== undefined && { code }),
    ...(stack.length > 0 && { stack }),
  };
}

/** Whether the pipeline created the error: no frames of its files are shown. */
const isOfPipeline = (thrown: unknown): boolean => isInstance(thrown, InvalidItem) || isInstance(thrown, TimeoutError);

function nameAndMessage(thrown: unknown): { name: string; message: string } {
  const message = field(thrown, 'message');
  const name = field(thrown, 'name');
  if (typeof message === 'string') return { name: typeof name === 'string' ? name : 'Error', message };
  return { name: 'Error', message: read(() => shown(thrown)) ?? 'something that cannot be shown was thrown' };
}

/** Returns the start of what the console would show of a value that is not an error. */
function shown(thrown: unknown): string {
  if (!isObject(thrown)) return String(thrown);
  if (isInstance(thrown, Response)) return `Response ${thrown.status} ${thrown.statusText}`.trimEnd();
  const { excerpt, keys } = read(() => excerptOf(thrown)) ?? { excerpt: thrown, keys: 0 };
  const text = inspect(excerpt, {
    // A thrown response contains its headers, with credentials, one level below. Custom inspection ignores the depth.
    depth: 0,
    customInspect: false,
    breakLength: Number.POSITIVE_INFINITY,
    maxArrayLength: MAX_SHOWN_ENTRIES,
    maxStringLength: MAX_SHOWN_CHARS,
  });
  return keys > MAX_SHOWN_ENTRIES ? `${text} (${keys} keys)` : text;
}

/** `inspect` limits the entries of lists, but not the keys of objects: 200,000 cost it 1 s and 236 MB. */
function excerptOf(thrown: object): { excerpt: object; keys: number } {
  if (Array.isArray(thrown) || ArrayBuffer.isView(thrown)) return { excerpt: thrown, keys: 0 };
  const keys = Object.keys(thrown);
  if (keys.length <= MAX_SHOWN_ENTRIES) return { excerpt: thrown, keys: keys.length };
  const excerpt = {};
  for (const key of keys.slice(0, MAX_SHOWN_ENTRIES))
    Object.defineProperty(excerpt, key, Object.getOwnPropertyDescriptor(thrown, key) ?? {});
  return { excerpt, keys: keys.length };
}

function codeOf(thrown: unknown): string | number | undefined {
  const code = field(thrown, 'code');
  if (typeof code === 'string') return code.slice(0, MAX_CODE_CHARS);
  return Number.isFinite(code) ? (code as number) : undefined;
}

/** Returns the causes of an error, of its causes and so on, nearest first. The errors of an AggregateError count as causes. */
function causesOf(thrown: unknown): unknown[] {
  const known = new Set([thrown]);
  for (const one of known) {
    for (const cause of [field(one, 'cause'), ...errorsOf(one)]) {
      if (cause !== undefined && cause !== null) known.add(cause);
      if (known.size > DEAD_LETTER.causes) return [...known].slice(1);
    }
  }
  return [...known].slice(1);
}

const errorsOf = (thrown: unknown): unknown[] =>
  (isInstance(thrown, AggregateError) && read(() => [...thrown.errors.slice(0, DEAD_LETTER.causes)])) || [];

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

const field = (thrown: unknown, name: string): unknown =>
  isObject(thrown) ? read(() => (thrown as Record<string, unknown>)[name]) : undefined;

function read<T>(get: () => T): T | undefined {
  try {
    return get();
  } catch {
    return undefined;
  }
}

const cut = (text: string, chars: number, length = text.length): string =>
  text.length <= chars ? text : `${text.slice(0, chars)}… (${length} characters)`;

const CUT = /… \((\d+) characters\)$/;

const lengthOf = (message: string): number => Number(CUT.exec(message)?.[1] ?? message.length);

/** An item (with `mapChunk`: the group) exceeded the workload's `timeoutSeconds`. */
export class TimeoutError extends Error {
  override name = 'TimeoutError';
  constructor(timeoutMs: number) {
    super(`timed out after ${timeoutMs / 1000} s`);
  }
}

const NO_ISSUES: { issues: readonly Issue[]; moreIssues: number } = { issues: [], moreIssues: 0 };
