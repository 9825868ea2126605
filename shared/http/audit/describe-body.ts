/** What a request asks for, in words and with few of them: no item of a batch ends in the audit log. */
import { storableLine } from '../../contract/text/text.ts';

/** The deciding part of a large selection is its size. */
const MAX_LISTED = 5;
const MAX_DETAIL = 300;
/** Not what is done: what it is done to, and what makes it safe. */
const LEFT_OUT = new Set(['key', 'confirm', 'name']);
/** `items: 20` would read as how many. */
const SAID_AS: Readonly<Record<string, string>> = { items: 'positions' };

/** Describes the JSON body of a request: `reason: database is down`, `positions: 17, 4711`, `corrected: 12 entries`. */
export function describeBody(body: unknown): string {
  if (typeof body !== 'object' || body === null) return '';
  const parts = Object.entries(body)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => `${SAID_AS[name] ?? name}: ${describe(value)}`);
  return storableLine(parts.join('; ').replaceAll(/\p{C}/gu, ' '), MAX_DETAIL);
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;

function describe(value: unknown): string {
  if (isPlain(value)) return String(value);
  if (!Array.isArray(value)) return `fields ${Object.keys(value as object).join(', ')}`;
  return value.length <= MAX_LISTED && value.every(isPlain) ? value.join(', ') : entries(value.length);
}

const entries = (count: number): string => (count === 1 ? '1 entry' : `${count} entries`);
