import { API } from './base.ts';
import { ApiError, errorOf, timedOut, unreachable } from './errors.ts';
import { key as kept, operator } from './key.ts';
import { spend } from './spending.ts';

/** How a request differs from a plain GET. */
export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Blob;
  signal?: AbortSignal;
  /** Default: the one that is kept. */
  key?: string;
  /** Until the answer is there to its last byte, in milliseconds; default 30 s for GET, else 4 minutes, as the platform has it. */
  timeoutMs?: number;
}

const READ_MS = 30_000;
/** The platform's front end answers for a function that takes longer than 230 s. */
const WRITE_MS = 240_000;

/** Calls the API; `path` is relative to it. Throws ApiError for any answer that is none of success. */
export async function request(path: string | URL, options: RequestOptions = {}): Promise<Response> {
  const { key = kept.peek(), headers, method = 'GET', signal, timeoutMs, ...rest } = options;
  const url = new URL(path, API);
  // A link from an answer must not carry the key to another origin.
  if (url.origin !== API.origin) throw new ApiError(0, 'A link to another server was not followed');
  const limitMs = timeoutMs ?? (method === 'GET' ? READ_MS : WRITE_MS);
  const timeout = AbortSignal.timeout(limitMs);
  const signals = signal === undefined ? [timeout] : [timeout, signal];
  const named = { ...headers, 'x-functions-key': key, ...(method === 'GET' ? {} : operatorHeader()) };
  const answer = await reach(url, { ...rest, method, headers: named, signal: AbortSignal.any(signals) }, limitMs);
  spend(answer.headers.get('sluice-cost'));
  if (answer.ok) return answer;
  throw errorOf(answer.status, await answer.text());
}

/** Header values are ASCII; anything else is sent as it is in addresses. */
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

/** Calls the API for JSON. The shape is the server's own; see types.ts. */
export async function requestJson<T>(path: string | URL, options?: RequestOptions): Promise<T> {
  return (await (await request(path, options)).json()) as T;
}

/** The address of the next page, as the Link header of an answer says, or undefined on the last. */
export function nextPage(answer: Response): URL | undefined {
  const [, target] = /<([^>]+)>;\s*rel="next"/.exec(answer.headers.get('link') ?? '') ?? [];
  return target === undefined ? undefined : new URL(target, answer.url);
}

/** Entries of a list, and where the next page of them is; undefined after the last one. */
export interface Page<T> {
  entries: readonly T[];
  next: URL | undefined;
}

/** A body of JSON, as options of a request. */
export const jsonBody = (value: unknown, headers: Record<string, string> = {}) => ({
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
});
