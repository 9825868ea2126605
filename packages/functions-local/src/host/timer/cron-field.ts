const MONTHS = 'january february march april may june july august september october november december'.split(' ');
const DAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');

/** The bounds of a cron field, and the names of its numbers. */
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

/**
 * Returns the allowed values of a field in ascending order. Throws if the text is not valid. Follows NCrontab 3.3, even where
 * it is lenient: reversed bounds of a range are swapped, a step below 1 is 1, and a name can be shortened.
 */
export function parseField(text: string, kind: FieldKind): number[] {
  const values = new Set<number>();
  for (const part of text.split(',')) for (const value of expand(part, kind, text)) values.add(value);
  return [...values].sort((left, right) => left - right);
}

function expand(part: string, kind: FieldKind, text: string): number[] {
  const match = /^(\*|[a-z0-9]+)(?:-([a-z0-9]+))?(?:\/(-?\d+))?$/i.exec(part);
  if (!match) throw fieldError(kind, text);
  const [, first = '', last, step] = match;
  const low = first === '*' ? kind.min : toNumber(first, kind, text);
  const every = Math.max(Number(step ?? 1), 1);
  if (first === '*' && last !== undefined) throw fieldError(kind, text);
  // `5/15` counts from 5 to the end of the field, like `5-59/15`.
  const single = first !== '*' && step === undefined;
  const high = last === undefined ? (single ? low : kind.max) : toNumber(last, kind, text);
  const count = Math.floor(Math.abs(high - low) / every) + 1;
  return Array.from({ length: count }, (_, index) => Math.min(low, high) + index * every);
}

function toNumber(text: string, kind: FieldKind, field: string): number {
  const named = kind.names.findIndex((name) => name.startsWith(text.toLowerCase()));
  const value = named >= 0 ? named + kind.min : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isInteger(value) || value < kind.min || value > kind.max) throw fieldError(kind, field);
  return value;
}

function fieldError(kind: FieldKind, text: string): Error {
  return new Error(`expected a ${kind.name} field of ${kind.min} to ${kind.max}, got '${text}'`);
}
