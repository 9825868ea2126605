import { useEffect, useState } from 'preact/hooks';

/** A value that components can watch. */
export interface Observable<T> {
  get(): T;
  set(value: T): void;
  update(change: (value: T) => T): void;
  subscribe(listener: () => void): () => void;
}

/** Makes an observable. */
export function createObservable<T>(initial: T): Observable<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  const set = (next: T): void => {
    if (Object.is(next, value)) return;
    value = next;
    for (const listener of listeners) listener();
  };
  return {
    get: () => value,
    set,
    update: (change) => set(change(value)),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The value of an observable; the component is drawn again when it changes. */
export function useObservable<T>(observable: Observable<T>): T {
  const [, redraw] = useState(0);
  useEffect(() => observable.subscribe(() => redraw((n) => n + 1)), [observable]);
  return observable.get();
}
