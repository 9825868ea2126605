/** Counts of billed operations: `<service>.<operation>` → how many. */
import { z } from 'zod';

/** Such as `{"blob.put": 3, "queue.get": 1, "servicebus.send": 1}`; absent means none. */
export const operationsSchema = z.record(z.string().max(60), z.number().nonnegative());
export type Operations = z.infer<typeof operationsSchema>;

/** How many operations there are, of all names. */
export const totalOperations = (operations: Operations): number =>
  Object.values(operations).reduce((sum, n) => sum + n, 0);

/** The sum of two counts, by name. */
export function addOperations(a: Operations, b: Operations): Operations {
  const sum: Operations = { ...a };
  for (const [name, n] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + n;
  return sum;
}

/** The difference of two counts, by name; names that come to nothing are left out. */
export function subtractOperations(a: Operations, b: Operations): Operations {
  const rest: Operations = {};
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const n = (a[name] ?? 0) - (b[name] ?? 0);
    if (n !== 0) rest[name] = n;
  }
  return rest;
}
