/**
 * Returns what a step of `reduce` returned.
 * @throws TypeError for a promise, which would be written as `{}`.
 */
export function synchronous<T>(name: string, value: T): T {
  if (typeof (value as { then?: unknown } | null | undefined)?.then !== 'function') return value;
  // No code awaits it, and its rejection must not end the process.
  Promise.resolve(value).catch(() => undefined);
  throw new TypeError(`reduce.${name} must be synchronous, but returned a promise.`);
}
