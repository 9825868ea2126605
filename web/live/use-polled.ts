import {
  type DefaultError,
  keepPreviousData,
  QueryClient,
  QueryObserver,
  type QueryObserverOptions,
} from '@tanstack/query-core';
import { useEffect, useReducer, useState } from 'preact/hooks';
import { type ApiError, toApiError } from '../api/errors.ts';
import { key as kept } from '../api/key.ts';
import { everyMs } from './pace.ts';

/** Time of the last key press or click in this page, or of the last return to it. */
let touchedAt = Date.now();
const touch = (): void => {
  touchedAt = Date.now();
};
for (const event of ['pointerdown', 'keydown', 'visibilitychange']) document.addEventListener(event, touch, true);

/** Caches all fetched data, so that a page that is shown again has its data immediately. */
export const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, networkMode: 'always', refetchOnWindowFocus: false } },
});

// The user of another key must not see the data of the previous one, whichever tab changed the key.
kept.subscribe(() => queries.clear());

export interface PolledOptions<T> {
  key: readonly unknown[];
  load: (signal: AbortSignal) => Promise<T>;
  /** Whether the data currently changes by itself, and is polled often. If absent, the data is fetched once. */
  isMoving?: (data: T) => boolean;
  /** Shows the data of the previous key until the first response for this key arrives. */
  keepPrevious?: boolean;
}

/** The known data with its age. */
export interface Polled<T> {
  data: T | undefined;
  /** Of the latest attempt; `data` keeps the previous data. */
  error: ApiError | undefined;
  /** Arrival of `data`, in milliseconds; undefined if there was none. */
  at: number | undefined;
  /** Milliseconds between two refreshes; undefined if polling has stopped. */
  everyMs: number | undefined;
  /** Fetches now, unless a fetch is in progress. */
  refreshIfIdle: () => void;
  /** Fetches now. A fetch in progress is dropped, because its data may be older than the user's last action. */
  refresh: () => void;
}

/** Minimum interval while the server fails. */
const FAILED_MS = 10_000;

/** Fetches data and polls it while the component is shown and the page is visible, at the intervals of pace.ts. */
export function usePolled<T>({ key, load, isMoving, keepPrevious }: PolledOptions<T>): Polled<T> {
  const [movement] = useState(() => ({ at: Date.now() }));
  const interval = (data: T | undefined, failed: boolean): number | undefined => {
    if (isMoving === undefined) return undefined;
    const moving = data !== undefined && isMoving(data);
    if (moving) movement.at = Date.now();
    const ms = everyMs({ isMoving: moving, movedAt: movement.at, touchedAt }, Date.now());
    return ms !== undefined && failed ? Math.max(ms, FAILED_MS) : ms;
  };
  const result = useQuery<T>({
    queryKey: key,
    queryFn: ({ signal }) => load(signal),
    refetchInterval: ({ state }) => interval(state.data, state.status === 'error') ?? false,
    // Components shown at the same time share data that is fetched once; components shown later fetch it again.
    ...(isMoving === undefined ? { staleTime: Number.POSITIVE_INFINITY, gcTime: 0 } : {}),
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
  });
  const { data, error, dataUpdatedAt } = result;
  const every = interval(data, error !== null);
  const refreshIfIdle = (): void => void result.refetch({ cancelRefetch: false });
  useRefreshOnReturn(isMoving !== undefined, every, dataUpdatedAt, refreshIfIdle);
  return {
    data,
    error: error === null ? undefined : toApiError(error),
    at: dataUpdatedAt === 0 ? undefined : dataUpdatedAt,
    everyMs: every,
    refreshIfIdle,
    refresh: () => void result.refetch(),
  };
}

/** Refreshes immediately when the user returns to a page that was hidden or has stopped polling. */
function useRefreshOnReturn(isLive: boolean, every: number | undefined, dataAt: number, refresh: () => void): void {
  useEffect(() => {
    if (!isLive) return undefined;
    const onTouch = (): void => {
      if (document.hidden) return;
      if (every === undefined || Date.now() - dataAt > every) refresh();
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
