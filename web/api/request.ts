import { ApiError, errorOf, unreachable } from './errors.ts';
import { key as kept } from './key.ts';
import { spend } from './spending.ts';

/** The script lies at <api>/dashboard/<file>, wherever a gateway has put the API. */
export const API = new URL('../', import.meta.url);

/** How a request differs from a plain GET. `operations`: what the route costs in storage operations, at least. */
export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Blob;
  signal?: AbortSignal;
  operations?: number;
  /** Default: the one that is kept. */
  key?: string;
}

/** Calls the API; `path` is relative to it. Throws ApiError for any answer that is none of success. */
export async function request(path: string | URL, options: RequestOptions = {}): Promise<Response> {
  const { operations = 1, key = kept.get(), headers, ...rest } = options;
  const url = new URL(path, API);
  // A link from an answer must not carry the key to another origin.
  if (url.origin !== API.origin) throw new ApiError(0, 'A link to another server was not followed');
  spend(operations);
  const answer = await reach(url, { ...rest, headers: { ...headers, 'x-functions-key': key } });
  if (answer.ok) return answer;
  throw errorOf(answer.status, await answer.text());
}

async function reach(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, cache: 'no-store' });
  } catch (error) {
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

/** A body of JSON, as options of a request. */
export const jsonBody = (value: unknown, headers: Record<string, string> = {}) => ({
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
});
