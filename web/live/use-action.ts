import { useState } from 'preact/hooks';
import { type ApiError, toApiError } from '../api/errors.ts';

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
  const [state, setState] = useState<{ busy: boolean; error: ApiError | undefined }>({ busy: false, error: undefined });
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (state.busy) return false;
    setState({ busy: true, error: undefined });
    try {
      await work();
      setState({ busy: false, error: undefined });
      return true;
    } catch (thrown) {
      setState({ busy: false, error: toApiError(thrown) });
      return false;
    }
  };
  return { ...state, run, clear: () => setState({ busy: false, error: undefined }) };
}
