import { type Operations, subtractOperations } from '../../shared/contract/operations.ts';
import type { Meter } from '../../shared/cost/meter.ts';

/** Runs a function, and returns the operations that the process makes meanwhile. */
export async function measure<T>(
  meter: Pick<Meter, 'total'>,
  run: () => Promise<T>,
): Promise<{ value: T; operations: Operations }> {
  const before = meter.total();
  const value = await run();
  return { value, operations: subtractOperations(meter.total(), before) };
}
