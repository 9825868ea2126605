import {
  type DefaultError,
  keepPreviousData,
  QueryClient,
  QueryObserver,
  type QueryObserverOptions,
} from '@tanstack/query-core';
import { useEffect, useReducer, useState } from 'preact/hooks';
import { type ApiError, toApiError } from '../api/http/errors.ts';
import { key as kept } from '../api/http/key.ts';
import { everyMs } from './pace.ts';
import { touchedAt } from './touched.ts';

/** Everything that the page has asked for: what is shown again is there at once. */
export const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, networkMode: 'always', refetchOnWindowFocus: false } },
});

// Whoever comes with another key may not see what this one has shown, in whichever tab it was given up.
kept.subscribe(() => queries.clear());

export interface LookOptions<T> {
  /** Identifies the subject. */
  key: readonly unknown[];
  load: (signal: AbortSignal) => Promise<T>;
  /** Whether something changes by itself at present: then it is looked at often. Left out: it is asked for once. */
  isMoving?: (data: T) => boolean;
  /** Shows what was known by the key before until the first answer by this one has come. */
  keepPrevious?: boolean;
}

/** What is known of a subject. */
export interface Looked<T> {
  data: T | undefined;
  /** Of the last try; what was known before stays in `data`. */
  error: ApiError | undefined;
  /** When `data` came, in milliseconds; undefined: never. */
  at: number | undefined;
  /** Milliseconds between two looks; undefined: no more looks by itself. */
  everyMs: number | undefined;
  /** Looks now, unless a look is under way. */
  look: () => void;
  /** Looks now; what is under way may be older than what was just done, and is dropped. */
  refresh: () => void;
}

/** A server in trouble is not asked more often than this. */
const FAILED_MS = 10_000;

/** Looks at a subject for as long as the component is shown and the page is visible, at the pace of pace.ts. */
export function useLook<T>({ key, load, isMoving, keepPrevious }: LookOptions<T>): Looked<T> {
  const [movement] = useState(() => ({ at: Date.now() }));
  const interval = (data: T | undefined, failed: boolean): number | undefined => {
    if (isMoving === undefined) return undefined;
    const moving = data !== undefined && isMoving(data);
    if (moving) movement.at = Date.now();
    const ms = everyMs({ isMoving: moving, movedAt: movement.at, touchedAt: touchedAt.peek() }, Date.now());
    return ms !== undefined && failed ? Math.max(ms, FAILED_MS) : ms;
  };
  const result = useQuery<T>({
    queryKey: key,
    queryFn: ({ signal }) => load(signal),
    refetchInterval: ({ state }) => interval(state.data, state.status === 'error') ?? false,
    // What is asked for once is shared by the parts that show it at the same time, and asked for anew by later ones.
    ...(isMoving === undefined ? { staleTime: Number.POSITIVE_INFINITY, gcTime: 0 } : {}),
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
  });
  const { data, error, dataUpdatedAt } = result;
  const every = interval(data, error !== null);
  const look = (): void => void result.refetch({ cancelRefetch: false });
  useLookAgain(isMoving !== undefined, every, dataUpdatedAt, look);
  return {
    data,
    error: error === null ? undefined : toApiError(error),
    at: dataUpdatedAt === 0 ? undefined : dataUpdatedAt,
    everyMs: every,
    look,
    refresh: () => void result.refetch(),
  };
}

/** A page that has stopped looking, or was hidden, looks at once when somebody comes back to it. */
function useLookAgain(isLive: boolean, every: number | undefined, lookedAt: number, look: () => void): void {
  useEffect(() => {
    if (!isLive) return undefined;
    const onTouch = (): void => {
      if (document.hidden) return;
      if (every === undefined || Date.now() - lookedAt > every) look();
    };
    const events = every === undefined ? ['visibilitychange', 'pointerdown', 'keydown'] : ['visibilitychange'];
    for (const event of events) document.addEventListener(event, onTouch);
    return () => {
      for (const event of events) document.removeEventListener(event, onTouch);
    };
  });
}

/** Binds an observer of the query library to a component. */
function useQuery<T>(options: QueryObserverOptions<T>) {
  const defaulted = queries.defaultQueryOptions<T, DefaultError, T, T, readonly unknown[]>(options);
  const [observer] = useState(() => new QueryObserver<T>(queries, defaulted));
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  useEffect(() => observer.subscribe(() => redraw(undefined)), [observer]);
  useEffect(() => observer.setOptions(defaulted));
  return { ...observer.getOptimisticResult(defaulted), refetch: observer.refetch };
}
