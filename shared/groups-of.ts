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

/** Cuts a source into groups like `groupsOf`. */
export async function* groupsOfSource<T>(source: Iterable<T> | AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let group: T[] = [];
  for await (const one of source) {
    group.push(one);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
