import type { IncomingHttpHeaders } from 'node:http';

const LOCAL = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/**
 * Whether a request was sent to an address of this machine, and not by a page of another site. Endpoints that check no key
 * must call it: any site can make a browser send requests to 127.0.0.1, and can resolve its own name to 127.0.0.1.
 */
export function isLocalRequest({ host, origin }: IncomingHttpHeaders): boolean {
  if (!LOCAL.test(host ?? '')) return false;
  return origin === undefined || LOCAL.test(URL.parse(origin)?.host ?? '');
}
