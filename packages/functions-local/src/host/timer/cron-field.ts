const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** The bounds of a cron field, and names that stand for numbers. */
export interface FieldKind {
  name: string;
  min: number;
  max: number;
  names: readonly string[];
}

/** The six fields of an NCRONTAB expression in their order. */
export const FIELD_KINDS: readonly FieldKind[] = [
  { name: 'second', min: 0, max: 59, names: [] },
  { name: 'minute', min: 0, max: 59, names: [] },
  { name: 'hour', min: 0, max: 23, names: [] },
  { name: 'day', min: 1, max: 31, names: [] },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'day of week', min: 0, max: 6, names: DAYS },
];

/** The values a field allows, ascending. Throws when the text is not a field of that kind. */
export function parseField(text: string, kind: FieldKind): number[] {
  const values = new Set<number>();
  for (const part of text.split(',')) for (const value of expand(part, kind, text)) values.add(value);
  return [...values].sort((left, right) => left - right);
}

function expand(part: string, kind: FieldKind, text: string): number[] {
  const match = /^(\*|[a-z0-9]+)(?:-([a-z0-9]+))?(?:\/(\d+))?$/i.exec(part);
  if (!match) throw fieldError(kind, text);
  const [, first = '', last, step] = match;
  const low = first === '*' ? kind.min : toNumber(first, kind, text);
  const every = step === undefined ? 1 : Number(step);
  if (every < 1 || (first === '*' && last !== undefined)) throw fieldError(kind, text);
  // `5/15` counts from 5 to the end of the field, like `5-59/15`.
  const single = first !== '*' && step === undefined;
  const high = last === undefined ? (single ? low : kind.max) : toNumber(last, kind, text);
  if (high < low) throw fieldError(kind, text);
  return Array.from({ length: Math.floor((high - low) / every) + 1 }, (_, index) => low + index * every);
}

function toNumber(text: string, kind: FieldKind, field: string): number {
  const named = text.length >= 3 ? kind.names.indexOf(text.slice(0, 3).toLowerCase()) : -1;
  const value = named >= 0 ? named + kind.min : Number(text);
  if (!Number.isInteger(value) || value < kind.min || value > kind.max) throw fieldError(kind, field);
  return value;
}

function fieldError(kind: FieldKind, text: string): Error {
  return new Error(`expected a ${kind.name} field of ${kind.min} to ${kind.max}, got '${text}'`);
}
