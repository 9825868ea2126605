import { MutationObserver } from '@tanstack/query-core';
import { useEffect, useReducer, useState } from 'preact/hooks';
import { type ApiError, toApiError } from '../api/errors.ts';
import { queries } from './use-polled.ts';

/** An action of the user that takes time and may fail. */
export interface Action {
  busy: boolean;
  error: ApiError | undefined;
  /** Resolves to true on success. A second call during a run does nothing. */
  run(work: () => Promise<unknown>): Promise<boolean>;
  clear(): void;
}

/** Provides an action with its progress and error. */
export function useAction(): Action {
  const [observer] = useState(
    () =>
      new MutationObserver<unknown, Error, () => Promise<unknown>>(queries, {
        mutationFn: (work) => work(),
        networkMode: 'always',
      }),
  );
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  useEffect(() => observer.subscribe(() => redraw(undefined)), [observer]);
  const { isPending, error } = observer.getCurrentResult();
  const run = (work: () => Promise<unknown>): Promise<boolean> =>
    observer.getCurrentResult().isPending
      ? Promise.resolve(false)
      : observer.mutate(work).then(
          () => true,
          () => false,
        );
  return {
    busy: isPending,
    error: error === null ? undefined : toApiError(error),
    run,
    clear: () => observer.reset(),
  };
}
