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

/** Options of an app's HTTP triggers. */
export interface HttpHandlerOptions {
  /** Must be sorted. */
  routes: readonly HttpRoute[];
  invoker: Invoker;
  /** Set if the app streams. */
  proxyServer?: Server;
  /** If absent, keys are not enforced. */
  keys?: HostKeys;
  bodyLimitBytes: number;
  /** If no answer has started after this time in milliseconds, the client gets 502, as from Azure's load balancer. */
  responseTimeoutMs: number;
  inputsOf(route: HttpRoute): { name: string; data: RpcData }[];
}

/** Answers a request with the matching HTTP function of the app. Returns false if no function matches. */
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

/** Returns the absolute URL of a request, or undefined if its target is not valid. */
export function toUrl(request: IncomingMessage): URL | undefined {
  const origin = `http://${request.headers.host ?? 'localhost'}`;
  const target = request.url ?? '/';
  // A path with two leading slashes must not be parsed as a host name.
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
