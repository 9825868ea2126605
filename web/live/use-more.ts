import { useState } from 'preact/hooks';
import type { Page } from '../api/pages.ts';
import { type Action, useAction } from './use-action.ts';

export interface MoreOptions<T> {
  /** Identifies entries, so that an entry that is on two pages appears once. */
  keyOf: (entry: T) => string | number;
  fetchPage: (next: string) => Promise<Page<T>>;
}

/** All pages loaded so far, as one list. */
export interface More<T> extends Page<T> {
  action: Action;
  load: () => Promise<void>;
  reset: () => void;
}

/** Holds the pages that the user has loaded after the first one, which is live. */
export function useMore<T>(first: Page<T>, { keyOf, fetchPage }: MoreOptions<T>): More<T> {
  const [more, setMore] = useState<Page<T>>();
  const action = useAction();
  const next = more ? more.next : first.next;
  const load = async (): Promise<void> => {
    if (next === undefined) return;
    const page = await fetchPage(next);
    setMore({ entries: [...(more?.entries ?? []), ...page.entries], next: page.next });
  };
  const known = new Set(first.entries.map(keyOf));
  const entries = [...first.entries, ...(more?.entries ?? []).filter((entry) => !known.has(keyOf(entry)))];
  return { entries, next, action, load, reset: () => setMore(undefined) };
}
