/** Counts of billed operations: `<service>.<operation>` → how many. */
import { z } from 'zod';

/** Such as `{"blob.put": 3, "queue.get": 1, "servicebus.send": 1}`; absent means none. */
export const operationsSchema = z.record(z.string().max(60), z.number().nonnegative());
export type Operations = z.infer<typeof operationsSchema>;

/** The sum of two counts, by name. */
export function addOperations(a: Operations, b: Operations): Operations {
  const sum: Operations = { ...a };
  for (const [name, n] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + n;
  return sum;
}
