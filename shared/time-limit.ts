/** No response arrived in time. The request may have taken effect anyway. */
export class TimeLimitError extends Error {
  override name = 'TimeLimitError';
}

/**
 * Waits at most `ms` (Infinity: without a limit) for a response of a call that has no time limit and cannot be aborted.
 * @throws TimeLimitError with the description `what`
 */
export async function withinTime<T>(answer: Promise<T>, ms: number, what: string): Promise<T> {
  if (ms === Number.POSITIVE_INFINITY) return answer;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new TimeLimitError(`${what}: expected a response within ${ms} ms, got none.`)),
    ms,
  );
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
