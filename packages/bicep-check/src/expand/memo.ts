/** Values that are computed on first use, because the declarations of a file can have any order. */

/** Caches results by name, and refuses a value that refers to itself. */
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

/** Returns a function that computes a value on first use. */
export function once<T>(compute: () => T): () => T {
  const read = memo(compute);
  return () => read('value');
}
