/** Cuts a list into runs of at most `size`, each when it is asked for. */
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
