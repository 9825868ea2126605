/** Cuts a list into groups of at most `size`, lazily. */
export function* groupsOf<T>(list: Iterable<T>, size: number): Generator<T[]> {
  let group: T[] = [];
  for (const one of list) {
    group.push(one);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** Cuts a source into groups of at most `size`, like `groupsOf`, without its first `skipped` items (default 0). */
export async function* groupsOfSource<T>(
  source: Iterable<T> | AsyncIterable<T>,
  { size, skipped = 0 }: { size: number; skipped?: number },
): AsyncGenerator<T[]> {
  let group: T[] = [];
  let left = skipped;
  for await (const one of source) {
    if (left-- > 0) continue;
    group.push(one);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
