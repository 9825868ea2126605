/** The typed client of the page: the key of its tabs, time limits, and errors as the page shows them. */
import { type Client, createClient } from '../../shared/client/index.ts';
import { errorOf, timedOut, unreachable } from './errors.ts';
import { API, key as kept, operator } from './key.ts';

const READ_MS = 30_000;
/** The platform's front end responds on its own when a function takes longer than 230 s. */
const WRITE_MS = 240_000;

interface ApiSettings {
  /** Defaults to the stored key. */
  key?: string;
  /** Time limit of a GET with its whole body, in milliseconds. Defaults to 30 s. */
  readMs?: number;
}

/** Creates a client of the API that served this page. Its calls throw ApiError for any response that is not a success. */
export const createApi = ({ key, readMs = READ_MS }: ApiSettings = {}): Client =>
  createClient({
    api: API.href,
    key: () => key ?? kept.peek(),
    operator: () => operator.peek(),
    fetch: (url, init = {}) => reach(url, init, init.method === 'GET' ? readMs : WRITE_MS),
    refused: errorOf,
  });

export const api = createApi();

async function reach(url: Parameters<typeof fetch>[0], init: RequestInit, limitMs: number): Promise<Response> {
  const timeout = AbortSignal.timeout(limitMs);
  const signal = init.signal ? AbortSignal.any([timeout, init.signal]) : timeout;
  try {
    return await fetch(url, { ...init, cache: 'no-store', signal });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError') throw timedOut(limitMs);
    if (signal.aborted) throw error;
    throw unreachable();
  }
}

/** Returns the values that a user has filled in; an empty one means no filter. */
export const filledIn = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')) as Partial<T>;

/** Returns the parameters of a filter in which a user has filled in some fields. */
export const filterQuery = <T extends { label: string }>({ label, ...values }: T) => ({
  ...filledIn(values),
  ...(label === '' ? {} : { label: [label] }),
});
