import { parseExact } from '../../shared/contract/text/exact-json.ts';
import { Unreachable } from '../process/errors.ts';
import type { CliSettings } from '../settings.ts';
import { ApiProblem } from './problem.ts';

/** The kind of function key that a route requires. */
export type Audience = 'client' | 'operator' | 'anyone';

type QueryValue = string | number | boolean | readonly string[] | undefined;

/** A request; `path` is the part after `/api/`. */
export interface Call {
  path: string;
  /** Default 'client'. */
  audience?: Audience;
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  query?: Readonly<Record<string, QueryValue>>;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: unknown;
  /** Error statuses that the caller handles as answers. */
  alsoExpected?: readonly number[];
}

/** The pipeline's HTTP API. Every call throws ApiProblem if the app refuses it, and Unreachable if no app answers. */
export interface Api {
  /** Returns the URL of a route and the headers with its key. */
  address(path: string, audience?: Audience): { url: string; headers: Record<string, string> };
  call(call: Call): Promise<Response>;
  /** Returns the JSON of the answer, parsed with `jsonOf`. */
  json<T>(call: Call): Promise<T>;
  /** Yields the answer and all pages that its `Link` headers lead to. */
  pages(call: Call): AsyncGenerator<Response>;
}

/** Creates a client of the app at `settings.url`. */
export function createApi(
  settings: Pick<CliSettings, 'url' | 'key' | 'operatorKey'> & Partial<Pick<CliSettings, 'operator'>>,
  fetcher: typeof fetch,
): Api {
  const keys: Record<Audience, string | undefined> = {
    client: settings.key,
    operator: settings.operatorKey,
    anyone: undefined,
  };
  const address: Api['address'] = (path, audience = 'client') => {
    const key = keys[audience];
    return { url: `${settings.url}/api/${path}`, headers: key === undefined ? {} : { 'x-functions-key': key } };
  };
  const send = async (url: string, call: Call): Promise<Response> => {
    const answer = await reach(fetcher, url, {
      ...requestOf(call),
      headers: { ...actorOf(call, settings.operator), ...headersOf(call, address) },
    });
    if (answer.ok || call.alsoExpected?.includes(answer.status)) return answer;
    throw new ApiProblem(answer.status, await answer.text(), answer.headers.get('retry-after') ?? undefined);
  };
  const call: Api['call'] = (each) => send(`${address(each.path).url}${queryOf(each.query)}`, each);
  return {
    address,
    call,
    json: async <T>(each: Call) => jsonOf<T>(await call(each)),
    pages: async function* (each) {
      let answer = await call(each);
      for (;;) {
        yield answer;
        const next = nextOf(answer);
        if (next === undefined) return;
        // Links begin with /api/: the app does not know the prefix that a gateway adds.
        answer = await send(`${settings.url}${next}`, each);
      }
    },
  };
}

/**
 * Parses the JSON of an answer. Numbers keep all their digits when they are written again, because a user who copies an item
 * and corrects it must not change its numbers. The shape is not checked: the app and the command have the same schemas.
 */
export const jsonOf = async <T>(answer: Response): Promise<T> => parseExact(await answer.text()) as T;

const headersOf = (call: Call, address: Api['address']): Record<string, string> => ({
  'user-agent': 'sluice-cli',
  ...address('', call.audience).headers,
  ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
  ...call.headers,
});

/** The name of the operator for the audit log, which records only requests that change something. */
const actorOf = ({ audience, method = 'GET' }: Call, operator: string | undefined): Record<string, string> =>
  operator === undefined || audience !== 'operator' || method === 'GET'
    ? {}
    : { 'sluice-operator': encodeURIComponent(operator) };

const requestOf = ({ method = 'GET', body }: Call): RequestInit => ({
  method,
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
});

function queryOf(query: Call['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    return (Array.isArray(value) ? value : [value]).map((each): [string, string] => [name, String(each)]);
  });
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

const nextOf = ({ headers }: Response): string | undefined =>
  /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];

async function reach(fetcher: typeof fetch, url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetcher(url, request);
  } catch (error: unknown) {
    throw unreachable(url, error);
  }
}

/** Converts a failed connection into an error that says what to do. */
export function unreachable(url: string, error: unknown): Unreachable {
  const { host } = new URL(url);
  const code = codeOf(error);
  const hints: Readonly<Record<string, string>> = {
    ECONNREFUSED: isLoopback(url)
      ? 'Start the local stack with npm start, or give the address of another app with --url or SLUICE_URL.'
      : 'Check that the app is running, and that --url or SLUICE_URL is its address.',
    ENOTFOUND: 'There is no host with this name: check --url or SLUICE_URL.',
  };
  const reason = code ?? deepestMessage(error);
  const what = code !== undefined && code in hints ? `Nothing answers at ${host}` : `The connection to ${host} failed`;
  return new Unreachable(`${what} (${reason}).`, { hint: hints[code ?? ''], cause: error });
}

/** Whether the address belongs to this machine. */
export const isLoopback = (url: string): boolean => ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname);

const deepestMessage = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : deepestMessage(error.cause);
};

/** Finds the error code: `fetch` hides it in the cause, which is an AggregateError if the host has several addresses. */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? codeOf(error.cause) : undefined;
}
