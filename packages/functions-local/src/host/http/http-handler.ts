import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Invoker } from '../invocation/invoker.ts';
import type { RpcData } from '../worker-protocol.ts';
import { answerEmpty } from './answer.ts';
import { isAnnouncedTooLarge } from './body.ts';
import { serveBuffered } from './exchange/buffered-mode.ts';
import { createExchange } from './exchange/exchange.ts';
import { serveStream } from './exchange/stream-mode.ts';
import { type HostKeys, isAuthorized, readRequestKey } from './keys.ts';
import { findRoute, type HttpRoute, type RouteHit } from './routing/router.ts';

/** What the HTTP triggers of an app need. */
export interface HttpHandlerOptions {
  /** Sorted. */
  routes: readonly HttpRoute[];
  invoker: Invoker;
  /** Set when the app streams. */
  proxyServer?: Server;
  /** Absent = keys are not enforced. */
  keys?: HostKeys;
  bodyLimitBytes: number;
  /** Without a begun answer after this many milliseconds the client gets 502, as from Azure's load balancer. */
  responseTimeoutMs: number;
  inputsOf(route: HttpRoute): { name: string; data: RpcData }[];
}

/** Answers a request from the app's HTTP functions; false when none matches. */
export async function handleHttpTrigger(
  options: HttpHandlerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<boolean> {
  const hit = findRoute(options.routes, request.method ?? 'GET', url.pathname);
  if (!hit) return false;
  const refusal = findRefusal(options, hit, request, url);
  if (refusal !== undefined) answerEmpty(response, refusal);
  else await serve(options, hit, { request, response, url });
  return true;
}

/** The absolute URL of a request; undefined when its target cannot be read. */
export function toUrl(request: IncomingMessage): URL | undefined {
  const origin = `http://${request.headers.host ?? 'localhost'}`;
  const target = request.url ?? '/';
  // A path that begins with two slashes must not be read as a host name.
  return URL.parse(target.startsWith('/') ? `${origin}${target}` : target, origin) ?? undefined;
}

function findRefusal(
  options: HttpHandlerOptions,
  hit: RouteHit,
  request: IncomingMessage,
  url: URL,
): number | undefined {
  const { route } = hit;
  const demand = { level: route.authLevel, functionName: route.fn.metadata.name };
  const key = readRequestKey(request.headers, url.searchParams);
  if (options.keys && !isAuthorized(options.keys, demand, key)) return 401;
  return isAnnouncedTooLarge(request, options.bodyLimitBytes) ? 413 : undefined;
}

interface Incoming {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
}

async function serve(options: HttpHandlerOptions, hit: RouteHit, incoming: Incoming): Promise<void> {
  const { request, response } = incoming;
  const { bodyLimitBytes, proxyServer, invoker } = options;
  if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
  const exchange = createExchange({ ...incoming, hit, bodyLimitBytes, extraInputs: options.inputsOf(hit.route) });
  const timer = setTimeout(() => answerEmpty(response, 502), options.responseTimeoutMs);
  response.once('close', () => clearTimeout(timer));
  await (proxyServer ? serveStream(exchange, proxyServer, invoker) : serveBuffered(exchange, invoker));
}
