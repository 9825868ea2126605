/** A short description of a request's body. No item of a batch is stored in the audit log. */
import { storableLine } from '../../contract/text/text.ts';

/** Of a longer list, the description contains only the size. */
const MAX_LISTED = 5;
const MAX_DETAIL = 300;
/** Fields that do not describe the action: its target, and its safeguards. */
const OMITTED = new Set(['key', 'confirm', 'name']);
/** `items: 20` could be read as a number of items. */
const SHOWN_AS: Readonly<Record<string, string>> = { items: 'positions' };

/** Describes the JSON body of a request, such as `reason: database is down`, `positions: 17, 4711`, `corrected: 12 entries`. */
export function describeBody(body: unknown): string {
  if (typeof body !== 'object' || body === null) return '';
  const parts = Object.entries(body)
    .filter(([name]) => !OMITTED.has(name))
    .map(([name, value]) => `${SHOWN_AS[name] ?? name}: ${describe(value)}`);
  return storableLine(parts.join('; ').replaceAll(/\p{C}/gu, ' '), MAX_DETAIL);
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;

function describe(value: unknown): string {
  if (isPlain(value)) return String(value);
  if (!Array.isArray(value)) return `fields ${Object.keys(value as object).join(', ')}`;
  return value.length <= MAX_LISTED && value.every(isPlain) ? value.join(', ') : entries(value.length);
}

const entries = (count: number): string => (count === 1 ? '1 entry' : `${count} entries`);
