import type { HttpRequest } from '@azure/functions';
import functions from '@azure/functions';

/** A request for `path`, which begins after `/api/`. */
export const requestFor = (path: string, headers: Record<string, string> = {}, body?: string): HttpRequest =>
  new functions.HttpRequest({
    url: `http://localhost/api/${path}`,
    method: body === undefined ? 'GET' : 'POST',
    headers,
    ...(body === undefined ? {} : { body: { string: body } }),
  });
