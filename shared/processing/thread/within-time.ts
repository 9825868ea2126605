import { TimeoutError } from '../outcome/error-text.ts';
import type { LazyAbort } from './item-context.ts';

/**
 * Waits for a handler's promise at most `timeoutMs`; then aborts its signal and throws TimeoutError at once, whether the
 * handler reacts or not. What the handler does later is ignored.
 */
export async function withinTime<T>(work: PromiseLike<T>, timeoutMs: number, abort: LazyAbort): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new TimeoutError(timeoutMs);
    reject(error);
    abort.abort(error);
  }, timeoutMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a value has to be awaited. Most handlers are synchronous, and an await an item would halve their speed. */
export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  value instanceof Promise ||
  (typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function');
