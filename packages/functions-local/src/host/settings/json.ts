/** Whether a parsed JSON value is an object and not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value at a path of keys, or undefined. Keys are compared without case, as in the host's configuration. */
export function valueAt(value: unknown, ...path: string[]): unknown {
  let current: unknown = value;
  for (const key of path) current = isRecord(current) ? current[findKey(current, key)] : undefined;
  return current;
}

/** Returns the key in the object's spelling. If the object has no such key, returns the given spelling. */
export function findKey(record: Record<string, unknown>, wanted: string): string {
  if (wanted in record) return wanted;
  return Object.keys(record).find((key) => key.toLowerCase() === wanted.toLowerCase()) ?? wanted;
}
