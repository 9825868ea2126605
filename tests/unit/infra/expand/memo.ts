/** Values that are computed when they are first asked for: declarations of a file may stand in any order. */

/** Remembers a result by name, and refuses a name whose value needs itself. */
export function memo<T>(compute: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  const open = new Set<string>();
  return (name) => {
    if (!known.has(name)) {
      if (open.has(name)) throw new Error(`"${name}" needs its own value`);
      open.add(name);
      try {
        known.set(name, compute(name));
      } finally {
        open.delete(name);
      }
    }
    return known.get(name) as T;
  };
}

/** A value that is computed at its first use. */
export function once<T>(compute: () => T): () => T {
  const read = memo(compute);
  return () => read('value');
}
