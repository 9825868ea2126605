/** Whether a parsed JSON value is an object, not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of keys (compared ignoring case, as the host reads its configuration); undefined when absent. */
export function valueAt(value: unknown, ...path: string[]): unknown {
  let current: unknown = value;
  for (const key of path) current = isRecord(current) ? current[findKey(current, key)] : undefined;
  return current;
}

/** The key as the object spells it, ignoring case; the wanted spelling when it has none. */
export function findKey(record: Record<string, unknown>, wanted: string): string {
  if (wanted in record) return wanted;
  return Object.keys(record).find((key) => key.toLowerCase() === wanted.toLowerCase()) ?? wanted;
}
