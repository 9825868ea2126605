import { MutationObserver } from '@tanstack/query-core';
import { useEffect, useReducer, useState } from 'preact/hooks';
import { type ApiError, toApiError } from '../api/http/errors.ts';
import { queries } from './use-look.ts';

/** Something that a person does, which takes a while and may fail. */
export interface Action {
  busy: boolean;
  error: ApiError | undefined;
  /** True: it went well. A second call while one runs does nothing. */
  run(work: () => Promise<unknown>): Promise<boolean>;
  clear(): void;
}

/** Keeps a person's action and how it went. */
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
