/**
 * Runs `fn` for all items, at most `limit` at the same time. Returns the results in the order of the items. Rejects
 * with the first error.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  limit: number,
  fn: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  const run = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) results[index] = await fn(items[index] as T, index);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, run));
  return results;
}

/**
 * Runs `fn` for all items of a source that need not fit into memory, at most `limit` at the same time. Rejects with the first
 * error, and then takes no further items.
 */
export async function forEachInParallel<T>(
  source: Iterable<T> | AsyncIterable<T>,
  limit: number,
  fn: (item: T) => Promise<unknown>,
): Promise<void> {
  const items = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  let isFailed = false;
  const run = async (): Promise<void> => {
    for (let next = await items.next(); !next.done && !isFailed; next = await items.next()) await fn(next.value);
  };
  const failing = async (): Promise<void> => {
    try {
      await run();
    } catch (error) {
      isFailed = true;
      throw error;
    }
  };
  await Promise.all(Array.from({ length: limit }, failing));
}

/**
 * Runs `read` over `items`, at most `ahead` at the same time, and yields the results in the order of the items. When the
 * reader leaves early, waits for the running calls, so that their operations are counted with it.
 */
export async function* readAhead<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  ahead: number,
  read: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const running: Promise<R>[] = [];
  try {
    for await (const item of items) {
      const promise = read(item);
      // It may fail while an earlier one is awaited: that must not end the process.
      promise.catch(() => undefined);
      running.push(promise);
      if (running.length >= ahead) yield await (running.shift() as Promise<R>);
    }
    while (running.length > 0) yield await (running.shift() as Promise<R>);
  } finally {
    await Promise.allSettled(running);
  }
}
