import type { IncomingHttpHeaders } from 'node:http';

const LOCAL = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/**
 * Whether a request was sent to an address of this machine, and not by a page of another site. Endpoints that check no key, or
 * one that everybody knows, must call it: any site can make a browser send requests to 127.0.0.1, and can resolve its own name
 * to 127.0.0.1. For images and links, a browser sends no origin, but says that they are of another site.
 */
export function isLocalRequest(headers: IncomingHttpHeaders): boolean {
  const { host, origin } = headers;
  if (!LOCAL.test(host ?? '')) return false;
  if (origin !== undefined) return LOCAL.test(URL.parse(origin)?.host ?? '');
  return headers['sec-fetch-site'] !== 'cross-site';
}
