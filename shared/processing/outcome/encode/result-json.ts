import { MAX_RESULT_NESTING } from '../../../contract/text/nesting.ts';
import { pathText } from '../../../workload/validate-item.ts';

/** Maximum number of keys in a path: the whole path of a deeply nested value would fill the message. */
const MAX_PATH_KEYS = 20;

/** The JSON form of a value: its text, and the value as a reader of the text gets it. */
export interface Faithful {
  json: string;
  value: unknown;
}

/** Whether a `toJSON` was called in the current walk. */
let isConverted = false;

/**
 * Returns the JSON of a result or a folded value, and the value: itself, or the content of the JSON if a `toJSON` in it
 * changes it. Paths in errors begin with the keys `root`.
 * @throws TypeError with the path of a value that JSON would change silently: `result.totals[3].amount is NaN`. Also for
 * a value that is nested too deeply: code that merges or converts it is recursive, and has a smaller stack than a thread.
 */
export function toFaithful(root: readonly string[], value: unknown): Faithful {
  isConverted = false;
  const json = stringify(root, value);
  // JSON.stringify walks first: after it, the value is known to have no cycle.
  throwProblem(
    root,
    findProblem(value, 0) ?? (json.includes(ESCAPED_SURROGATE) ? findLoneSurrogate(value) : undefined),
  );
  return { json, value: isConverted ? JSON.parse(json) : value };
}

/** How JSON.stringify writes a surrogate without a partner; a pair is written as its character. */
const ESCAPED_SURROGATE = '\\ud';

function stringify(root: readonly string[], value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch (error) {
    // A cycle has no end to show a path to, and V8 describes the cycle.
    if (!(error instanceof TypeError && error.message.startsWith('Converting circular'))) {
      throwProblem(root, findProblem(value, 0));
    }
    throw error;
  }
}

/** A problem of a value, and its path from the inside out: built on the way back, since most have no problem. */
interface Problem {
  what: string;
  path: PropertyKey[];
}

const problem = (what: string): Problem => ({ what, path: [] });

function within(key: PropertyKey, found: Problem): Problem {
  found.path.push(key);
  return found;
}

function throwProblem(root: readonly string[], found: Problem | undefined): void {
  if (found === undefined) return;
  const path = [...root, ...found.path.reverse()];
  const end = path.length > MAX_PATH_KEYS ? '…' : '';
  throw new TypeError(`${pathText(path.slice(0, MAX_PATH_KEYS))}${end} ${found.what}`);
}

/** Whether a value is of a frequent kind: checked first, without a call per value. */
const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value)) || typeof value === 'boolean';

function findProblem(value: unknown, depth: number): Problem | undefined {
  if (isScalar(value) || value === null) return undefined;
  if (typeof value === 'object') return findInside(value, depth + 1);
  if (typeof value === 'number' || value === undefined) return problem(`is ${value}`);
  return problem(`is a ${typeof value}`);
}

function findInside(value: object, depth: number): Problem | undefined {
  if (depth > MAX_RESULT_NESTING) return problem(`is nested over ${MAX_RESULT_NESTING} levels deep`);
  if (Array.isArray(value)) return findInArray(value, depth);
  const found = isPlain(value) ? findInObject(value as Record<string, unknown>, depth) : notPlain(value);
  return found && 'toJSON' in value && typeof value.toJSON === 'function' ? findInConverted(value, depth) : found;
}

function findInObject(value: Record<string, unknown>, depth: number): Problem | undefined {
  for (const key in value) {
    const inner = value[key];
    // JSON omits fields that are undefined, like absent optional fields.
    if (isScalar(inner) || inner === undefined) continue;
    const found = findProblem(inner, depth);
    if (found) return within(key, found);
  }
  return undefined;
}

/** A hole of a sparse array reads as undefined here; both would become null in JSON. */
function findInArray(value: readonly unknown[], depth: number): Problem | undefined {
  for (let i = 0; i < value.length; i++) {
    const inner = value[i];
    if (isScalar(inner)) continue;
    const found = findProblem(inner, depth);
    if (found) return within(i, found);
  }
  return undefined;
}

/** Checks the result of `toJSON` instead of the value. A Date without a time would silently become null. */
function findInConverted(value: object, depth: number): Problem | undefined {
  isConverted = true;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? problem('is an invalid Date') : undefined;
  return findProblem((value as { toJSON: () => unknown }).toJSON(), depth);
}

const notPlain = (value: object): Problem =>
  problem(`is an instance of ${value.constructor?.name || 'an unnamed class'}, which has no toJSON`);

/** Also true for an object of another realm (`node:vm`): its prototype is the last one of its chain. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Finds a lone surrogate. UTF-8 has no bytes for it: other readers refuse the escape, or replace it. */
function findLoneSurrogate(value: unknown): Problem | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : problem('has a lone surrogate');
  if (typeof value !== 'object' || value === null) return undefined;
  if ('toJSON' in value && typeof value.toJSON === 'function') return findLoneSurrogate(value.toJSON());
  for (const [key, inner] of Object.entries(value)) {
    const found = key.isWellFormed() ? findLoneSurrogate(inner) : problem('has a lone surrogate in its name');
    if (found) return within(Array.isArray(value) ? Number(key) : key, found);
  }
  return undefined;
}
