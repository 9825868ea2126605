import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ApiError, toApiError } from '../api/errors.ts';
import { startPoller } from './poller.ts';

/** What is known of something that is asked for again and again. */
export interface Polled<T> {
  data: T | undefined;
  /** Of the last try; what was known before stays in `data`. */
  error: ApiError | undefined;
  refresh(): void;
}

export interface PollOptions<T> {
  load: (signal: AbortSignal) => Promise<T>;
  /** Tells one subject from another: what is known is dropped when it changes. */
  subject: string;
  /** As for a poller; left out: ask once. */
  everyMs?: (data: T | undefined) => number | undefined;
}

interface Known<T> {
  subject: string;
  data?: T;
  error?: ApiError;
}

/** Keeps asking for as long as the component is shown. */
export function usePoll<T>({ load, subject, everyMs }: PollOptions<T>): Polled<T> {
  const [state, setState] = useState<Known<T>>({ subject });
  const [turn, setTurn] = useState(0);
  const latest = useRef({ load, everyMs });
  latest.current = { load, everyMs };
  useEffect(
    () =>
      startPoller<T>({
        load: (signal) => latest.current.load(signal),
        everyMs: (data) => latest.current.everyMs?.(data),
        onData: (data) => setState({ subject, data }),
        onError: (error) =>
          setState((known) => ({ ...(known.subject === subject ? known : { subject }), error: toApiError(error) })),
      }),
    [subject, turn],
  );
  const refresh = useCallback(() => setTurn((n) => n + 1), []);
  const known: Partial<Known<T>> = state.subject === subject ? state : {};
  return { data: known.data, error: known.error, refresh };
}
