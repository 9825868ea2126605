import { parseExact } from '../../shared/contract/text/exact-json.ts';
import { Unreachable } from '../process/errors.ts';
import type { CliSettings } from '../settings.ts';
import { ApiProblem } from './problem.ts';

/** Whose key a route asks for. */
export type Audience = 'client' | 'operator' | 'anyone';

type QueryValue = string | number | boolean | readonly string[] | undefined;

/** A request; `path` begins after `/api/`. */
export interface Call {
  path: string;
  /** Default 'client'. */
  audience?: Audience;
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  query?: Readonly<Record<string, QueryValue>>;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: unknown;
  /** Statuses of a refusal that the caller wants to see as an answer. */
  alsoExpected?: readonly number[];
}

/** The pipeline's HTTP API. Every call throws ApiProblem for what is refused, and Unreachable when nobody answers. */
export interface Api {
  /** Where a route is, and the headers that open it. */
  address(path: string, audience?: Audience): { url: string; headers: Record<string, string> };
  call(call: Call): Promise<Response>;
  /** The answer's JSON, as `jsonOf` reads it. */
  json<T>(call: Call): Promise<T>;
  /** The answer and all that its `Link` headers lead to. */
  pages(call: Call): AsyncGenerator<Response>;
}

/** A client of the app at `settings.url`. */
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
        // Links begin with /api/: what a gateway puts before it, the app does not know.
        answer = await send(`${settings.url}${next}`, each);
      }
    },
  };
}

/**
 * The JSON of an answer. Numbers keep all their digits when they are written again: who copies an item and corrects it must
 * not change its numbers. The shape is the one that shared/http promises; the command is of the same version.
 */
export const jsonOf = async <T>(answer: Response): Promise<T> => parseExact(await answer.text()) as T;

const headersOf = (call: Call, address: Api['address']): Record<string, string> => ({
  'user-agent': 'sluice-cli',
  ...address('', call.audience).headers,
  ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
  ...call.headers,
});

/** Who acts, for the audit log; only actions are recorded. */
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

/** A connection that failed, in words that say what to do. */
export function unreachable(url: string, error: unknown): Unreachable {
  const { host } = new URL(url);
  const code = codeOf(error);
  const hints: Readonly<Record<string, string>> = {
    ECONNREFUSED: isLoopback(url)
      ? 'Start the local stack with npm start, or name another app with --url or SLUICE_URL.'
      : 'Is the app running? --url or SLUICE_URL names it.',
    ENOTFOUND: 'There is no host of this name: check --url or SLUICE_URL.',
  };
  const reason = code ?? deepestMessage(error);
  const what = code !== undefined && code in hints ? 'Nothing answers at' : 'The connection broke to';
  return new Unreachable(`${what} ${host} (${reason}).`, { hint: hints[code ?? ''], cause: error });
}

/** Whether an address is of this machine. */
export const isLoopback = (url: string): boolean => ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname);

const deepestMessage = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : deepestMessage(error.cause);
};

/** fetch hides the reason in the cause, and behind several addresses in an AggregateError. */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? codeOf(error.cause) : undefined;
}
