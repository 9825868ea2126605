/** Counts of billed operations: `<service>.<operation>` → count. */
import { z } from 'zod';

/** For example `{"blob.put": 3, "queue.get": 1, "servicebus.send": 1}`. An absent name means none. */
export const operationsSchema = z.record(z.string().max(60), z.number().nonnegative());
export type Operations = z.infer<typeof operationsSchema>;

/** The number of operations of all names. */
export const totalOperations = (operations: Operations): number =>
  Object.values(operations).reduce((sum, n) => sum + n, 0);

/** Adds two counts by name. */
export function addOperations(a: Operations, b: Operations): Operations {
  const sum: Operations = { ...a };
  for (const [name, n] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + n;
  return sum;
}

/** Subtracts two counts by name. Names with a difference of 0 are omitted. */
export function subtractOperations(a: Operations, b: Operations): Operations {
  const rest: Operations = {};
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const n = (a[name] ?? 0) - (b[name] ?? 0);
    if (n !== 0) rest[name] = n;
  }
  return rest;
}

/** Multiplies every count by n. */
export const timesOperations = (operations: Operations, n: number): Operations =>
  Object.fromEntries(Object.entries(operations).map(([name, count]) => [name, count * n]));

const STORAGE = new Set(['blob', 'queue', 'table']);

/** Returns the number of operations on storage. */
export const storageOperations = (operations: Operations): number =>
  Object.entries(operations).reduce((sum, [name, n]) => (STORAGE.has(name.split('.', 1)[0] ?? '') ? sum + n : sum), 0);
