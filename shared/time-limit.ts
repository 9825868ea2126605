/** No answer came in time. What was asked for may have been done anyway. */
export class TimeLimitError extends Error {
  override name = 'TimeLimitError';
}

/**
 * Waits for an answer that has no time limit of its own, and cannot be aborted, for at most `ms`.
 * @throws TimeLimitError naming `what` was waited for
 */
export async function withinTime<T>(answer: Promise<T>, ms: number, what: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new TimeLimitError(`${what}: expected an answer within ${ms} ms, got none.`)),
    ms,
  );
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
