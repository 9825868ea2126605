/** Caches the result of `read` for `maxAgeMs`. `fresh` bypasses the cache. */
export function remembered<T>(
  read: () => Promise<T>,
  { maxAgeMs, now }: { maxAgeMs: number; now: () => number },
): (fresh: boolean) => Promise<T> {
  let last: { value: T; atMs: number } | undefined;
  return async (fresh) => {
    if (fresh || last === undefined || now() - last.atMs >= maxAgeMs) {
      const atMs = now();
      last = { value: await read(), atMs };
    }
    return last.value;
  };
}
