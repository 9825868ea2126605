import { createObservable } from '../observable.ts';

const NAME = 'sluice-key';

/** The key that requests carry; empty: none yet. It is kept for the tab alone, and forgotten when that is closed. */
export const key = createObservable(sessionStorage.getItem(NAME) ?? '');

/** Takes another key, or with an empty one forgets it. */
export function keepKey(value: string): void {
  if (value === '') sessionStorage.removeItem(NAME);
  else sessionStorage.setItem(NAME, value);
  key.set(value);
}
