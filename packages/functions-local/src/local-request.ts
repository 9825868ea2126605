import type { IncomingHttpHeaders } from 'node:http';

const LOCAL = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/**
 * Whether a request was sent to an address of this machine, and by no page of another site. What answers without a key
 * asks this first: any site can make a browser send here, and can let its own name resolve to 127.0.0.1.
 */
export function isLocalRequest({ host, origin }: IncomingHttpHeaders): boolean {
  if (!LOCAL.test(host ?? '')) return false;
  return origin === undefined || LOCAL.test(URL.parse(origin)?.host ?? '');
}
