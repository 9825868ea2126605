import { parseExact } from '../contract/text/exact-json.ts';
import { ProblemError, type Refusal } from './problem.ts';
import type { AddressOf, AnswerOf, Call, RawBody, RequestTo, RouteKey } from './types.ts';

/** Settings of a client. */
export interface ClientOptions {
  /** Address of the API, such as `https://orders.azurewebsites.net/api`. */
  api: string;
  /** The key of all routes, or a function that returns the key of a route; without one, none is sent. See keys.ts. */
  key?: string | ((route: RouteKey) => string | undefined);
  /** Name of the person, for the audit log of the app. No default. */
  operator?: string | (() => string | undefined) | undefined;
  /** Headers of all requests. */
  headers?: Readonly<Record<string, string>>;
  /** Sends requests, for time limits and other errors. Defaults to the global `fetch`. */
  fetch?: typeof fetch;
  /** Creates the error of an answer that is not a success. Defaults to a ProblemError. */
  refused?: (refusal: Refusal) => Error;
}

/** An answer whose JSON has the type T, which `jsonOf` reads. */
export interface AnswerTo<T> extends Response {
  /** Only in the type. */
  readonly answer?: T;
}

/** A typed client of the HTTP API. Each call rejects if the app refuses it, or if `fetch` rejects. */
export interface Client {
  call<K extends RouteKey>(route: K, ...request: Call<K>): Promise<AnswerTo<AnswerOf<K>>>;
  /** Returns the JSON of the answer, as `jsonOf` reads it. */
  json<K extends RouteKey>(route: K, ...request: Call<K>): Promise<AnswerOf<K>>;
  /** Requests a further page of a route: `page` is what `nextOf` returned for an answer. */
  follow<K extends RouteKey>(
    route: K,
    page: string,
    request?: Pick<RequestTo<K>, Kept>,
  ): Promise<AnswerTo<AnswerOf<K>>>;
  /** Yields the answer and all pages that its `Link` headers lead to. */
  pages<K extends RouteKey>(route: K, ...request: Call<K>): AsyncGenerator<AnswerTo<AnswerOf<K>>>;
  /** Returns the URL and the headers of a request, for uploads that another library sends. */
  address<K extends RouteKey>(route: K, request: AddressOf<K>): { url: string; headers: Record<string, string> };
}

type Kept = 'headers' | 'signal';

/** A request without the types of its route. */
interface Asked {
  path?: Readonly<Record<string, string | number>> | undefined;
  query?: Readonly<Record<string, unknown>> | undefined;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
  alsoExpected?: readonly number[];
}

/** Creates a client of the app whose API is at `options.api`. */
export function createClient(options: ClientOptions): Client {
  const { fetch: reach = fetch, refused = (refusal) => new ProblemError(refusal) } = options;
  const api = options.api.endsWith('/') ? options.api : `${options.api}/`;
  const send = async (route: RouteKey, url: string, asked: Asked): Promise<Response> => {
    const { body, signal, alsoExpected } = asked;
    const answer = await reach(url, {
      method: methodOf(route),
      headers: headersOf(options, route, asked),
      ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (answer.ok || alsoExpected?.includes(answer.status)) return answer;
    const retryAfter = answer.headers.get('retry-after') ?? undefined;
    throw refused({ status: answer.status, text: await answer.text(), retryAfter });
  };
  const call = (route: RouteKey, asked: Asked = {}) => send(route, `${api}${pathOf(route, asked)}`, asked);
  const follow = (route: RouteKey, page: string, asked: Asked = {}) => send(route, `${api}${page}`, asked);
  return {
    call,
    follow,
    json: async (route: RouteKey, asked?: Asked) => jsonOf(await call(route, asked)),
    pages: async function* (route: RouteKey, asked?: Asked) {
      let answer = await call(route, asked);
      for (;;) {
        yield answer;
        const page = nextOf(answer);
        if (page === undefined) return;
        answer = await follow(route, page, asked);
      }
    },
    address: (route: RouteKey, asked: Asked = {}) => ({
      url: `${api}${pathOf(route, asked)}`,
      headers: headersOf(options, route, asked),
    }),
  } as Client;
}

/**
 * Parses the JSON of an answer. Numbers keep all their digits when they are written again, because a user who copies an item
 * and corrects it must not change its numbers. The shape is not checked: app and client have the same schemas.
 */
export const jsonOf = async <T>(answer: AnswerTo<T>): Promise<T> => parseExact(await answer.text()) as T;

/**
 * Returns the next page of a listing, relative to the API, whatever the address before it: the app does not know the prefix that a
 * gateway adds, and no link leads the key to another server. Undefined for the last page.
 */
export const nextOf = ({ headers }: Pick<Response, 'headers'>): string | undefined =>
  /<[^>]*?\/api\/([^>]*)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1];

const methodOf = (route: RouteKey): string => route.slice(0, route.indexOf(' '));

function pathOf(route: RouteKey, { path = {}, query = {} }: Asked): string {
  const template = route.slice(route.indexOf(' ') + 1);
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])));
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    return (Array.isArray(value) ? value : [value]).map((each): [string, string] => [name, String(each)]);
  });
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs)}`;
}

/** Whether a body is sent as it is: text, or bytes in any form. */
const isRaw = (body: unknown): body is RawBody =>
  typeof body === 'string' || body instanceof Blob || body instanceof ReadableStream || body instanceof Uint8Array;

function headersOf({ key, operator, headers }: ClientOptions, route: RouteKey, asked: Asked): Record<string, string> {
  const functionKey = typeof key === 'function' ? key(route) : key;
  const name = typeof operator === 'function' ? operator() : operator;
  const isChange = methodOf(route) !== 'GET';
  return {
    ...headers,
    ...(functionKey ? { 'x-functions-key': functionKey } : {}),
    // Header values are ASCII.
    ...(name && isChange ? { 'sluice-operator': encodeURIComponent(name) } : {}),
    ...(asked.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...asked.headers,
  };
}
