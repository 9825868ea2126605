import { API } from './base.ts';
import { ApiError, errorOf, timedOut, unreachable } from './errors.ts';
import { key as kept, operator } from './key.ts';

/** What differs from a plain GET. */
export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Blob;
  signal?: AbortSignal;
  /** Defaults to the stored key. */
  key?: string;
  /** Time limit for the whole response body, in milliseconds. Defaults to 30 s for GET, and otherwise to 4 minutes. */
  timeoutMs?: number;
}

const READ_MS = 30_000;
/** The platform's front end responds on its own when a function takes longer than 230 s. */
const WRITE_MS = 240_000;

/** Calls the API; `path` is relative to it. Throws ApiError for any response that is not a success. */
export async function request(path: string | URL, options: RequestOptions = {}): Promise<Response> {
  const { key = kept.peek(), headers, method = 'GET', signal, timeoutMs, ...rest } = options;
  const url = new URL(path, API);
  // A link in a response must not send the key to another origin.
  if (url.origin !== API.origin) throw new ApiError(0, 'A link to another server was not followed');
  const limitMs = timeoutMs ?? (method === 'GET' ? READ_MS : WRITE_MS);
  const timeout = AbortSignal.timeout(limitMs);
  const signals = signal === undefined ? [timeout] : [timeout, signal];
  const named = { ...headers, 'x-functions-key': key, ...(method === 'GET' ? {} : operatorHeader()) };
  const answer = await reach(url, { ...rest, method, headers: named, signal: AbortSignal.any(signals) }, limitMs);
  if (answer.ok) return answer;
  throw errorOf(answer.status, await answer.text());
}

/** Header values are ASCII; other characters are percent-encoded. */
export const operatorHeader = (): Record<string, string> =>
  operator.peek() === '' ? {} : { 'sluice-operator': encodeURI(operator.peek()) };

async function reach(url: URL, init: RequestInit, limitMs: number): Promise<Response> {
  try {
    return await fetch(url, { ...init, cache: 'no-store' });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError') throw timedOut(limitMs);
    if (init.signal?.aborted) throw error;
    throw unreachable();
  }
}

/** Calls the API and parses the JSON response. Its type is the server's own; see types.ts. */
export async function requestJson<T>(path: string | URL, options?: RequestOptions): Promise<T> {
  return (await (await request(path, options)).json()) as T;
}

/** Returns the address of the next page from the Link header of a response, or undefined on the last page. */
export function nextPage(answer: Response): URL | undefined {
  const [, target] = /<([^>]+)>;\s*rel="next"/.exec(answer.headers.get('link') ?? '') ?? [];
  return target === undefined ? undefined : new URL(target, answer.url);
}

/** Entries of a list, and the address of the next page; undefined on the last page. */
export interface Page<T> {
  entries: readonly T[];
  next: URL | undefined;
}

/** Request options for a JSON body. */
export const jsonBody = (value: unknown, headers: Record<string, string> = {}) => ({
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
});
