/** Calls handlers of HTTP functions without a host. */
import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import functions from '@azure/functions';
import { answering } from '../../helpers/fakes/answering.ts';

/** An answer as a client receives it. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  json: () => unknown;
}

type Handler = (request: HttpRequest) => Promise<HttpResponseInit>;

/** Calls a handler like its function. `path` begins after `/api/`. */
export async function call(
  handler: Handler,
  path: string,
  init: { method?: string; params?: Record<string, string>; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const request = new functions.HttpRequest({
    url: `http://localhost/api/${path}`,
    method: init.method ?? 'GET',
    ...(init.params === undefined ? {} : { params: init.params }),
    ...(init.headers === undefined ? {} : { headers: init.headers }),
    ...(init.body === undefined ? {} : { body: { string: init.body } }),
  });
  const context = new functions.InvocationContext({ logHandler: () => undefined });
  const response = new functions.HttpResponse(await answering(handler)(request, context));
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
}

/** The address of the next page, as `path` of `call`; undefined for the last page. */
export const nextOf = ({ headers }: Answer): string | undefined =>
  /<\/api\/([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
