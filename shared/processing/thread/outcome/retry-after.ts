import { Retry } from '../../../workload/errors.ts';
import { isInstance } from '../../outcome/error-text.ts';

/** Returns the wait that a thrown `Retry` asks for; undefined for other values, and if its getter throws. */
export function retryAfterSeconds(thrown: unknown): number | undefined {
  if (!isInstance(thrown, Retry)) return undefined;
  try {
    return thrown.after;
  } catch {
    return undefined;
  }
}
