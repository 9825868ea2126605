import type { IncomingHttpHeaders } from 'node:http';
import type { DurableBackend } from '../../durable/types.ts';
import { isLocalRequest } from '../../local-request.ts';
import { seconds } from '../../units.ts';
import type { LoadedApp } from '../app/load-app.ts';
import type { Inputs } from '../durable/start-durable.ts';
import type { HostOptions } from '../host-options.ts';
import { type AdminOptions, handleAdmin } from '../http/admin.ts';
import { answerEmpty } from '../http/answer.ts';
import { applyCors, type CorsOptions, isAllowedOrigin } from '../http/cors.ts';
import { type HttpHandlerOptions, handleHttpTrigger, toUrl } from '../http/http-handler.ts';
import type { HostKeys } from '../http/keys.ts';
import type { RequestHandler } from '../http/listener.ts';
import { sortRoutes } from '../http/routing/router.ts';
import type { Invoker } from '../invocation/invoker.ts';
import type { Wiring } from '../listeners.ts';
import type { HostLog } from '../log/host-log.ts';
import type { LoadedSettings } from './load-settings.ts';

const WEBHOOKS = '/runtime/webhooks/durabletask';

/** How long Azure's load balancer waits for the start of an answer. Source: Microsoft Learn, functions-scale. */
const RESPONSE_TIMEOUT_MS = seconds(230);

/** The parts of a running host that answer requests. */
export interface RequestHandlers {
  http: HttpHandlerOptions;
  admin: AdminOptions;
  durable: DurableBackend | undefined;
  cors: CorsOptions | undefined;
}

/** The parts of a host from which the request handlers are created. */
export interface HostParts {
  settings: LoadedSettings;
  options: HostOptions;
  wiring: Wiring;
  invoker: Invoker;
  log: HostLog;
  app: LoadedApp;
  inputs: Inputs;
  durable: DurableBackend | undefined;
  keys: HostKeys | undefined;
}

/** Creates the parts that answer requests. */
export function createRequestHandlers(parts: HostParts): RequestHandlers {
  const { settings, options, wiring, invoker, log, app, inputs, durable, keys } = parts;
  return {
    durable,
    cors: settings.cors,
    http: {
      routes: sortRoutes(wiring.routes),
      invoker,
      bodyLimitBytes: settings.bodyLimitBytes,
      responseTimeoutMs: options.responseTimeoutMs ?? RESPONSE_TIMEOUT_MS,
      inputsOf: ({ fn }) => inputs.of(fn),
      ...(app.proxyServer ? { proxyServer: app.proxyServer } : {}),
      ...(keys ? { keys } : {}),
    },
    admin: {
      log,
      findRunner: (name) => findRunner(parts, name),
      functionNames: () => wiring.functions.map(({ fn }) => fn.metadata.name),
      ...(keys ? { keys } : {}),
    },
  };
}

function findRunner({ wiring, invoker, inputs }: HostParts, name: string): ReturnType<AdminOptions['findRunner']> {
  const isWanted = (candidate: string) => candidate.toLowerCase() === name.toLowerCase();
  const listener = [...wiring.listeners].find(([candidate]) => isWanted(candidate))?.[1];
  if (listener) return listener.run;
  const activity = wiring.durable.find(({ fn, kind }) => kind === 'activity' && isWanted(fn.metadata.name));
  if (!activity) return undefined;
  return (input) =>
    invoker.invoke({
      fn: activity.fn,
      inputs: [{ name: activity.triggerName, data: { string: input } }, ...inputs.of(activity.fn)],
      reason: 'This function was programmatically called via the host APIs.',
    });
}

/**
 * Not applied to functions of the app, which can be called with other host names, for example that of a tunnel, as in Core
 * Tools.
 */
function isTrusted(headers: IncomingHttpHeaders, cors: CorsOptions | undefined): boolean {
  const { host, origin } = headers;
  const isAllowed = origin !== undefined && cors !== undefined && isAllowedOrigin(cors, origin);
  return isLocalRequest(isAllowed ? { host } : headers);
}

const HOME_PAGE = '<!doctype html><title>Functions host</title><p>Your local Functions host is up and running.</p>\n';

/** Creates the handler that routes a request to the durable webhooks, the admin API, the app's functions or the home page. */
export function createRequestHandler({ http, admin, durable, cors }: RequestHandlers): RequestHandler {
  return async (request, response) => {
    const url = toUrl(request);
    if (!url) return answerEmpty(response, 400);
    if (cors && applyCors(cors, request, response)) return;
    const path = url.pathname.toLowerCase();
    const isManagement = path.startsWith('/admin/') || path.startsWith(WEBHOOKS);
    if (isManagement && !admin.keys && !isTrusted(request.headers, cors)) return answerEmpty(response, 403);
    if (durable && path.startsWith(WEBHOOKS) && (await durable.handle(request, response))) return;
    if (path.startsWith('/admin/')) return handleAdmin(admin, request, response, url);
    if (await handleHttpTrigger(http, request, response, url)) return;
    if (request.method !== 'GET' || path !== '/') return answerEmpty(response, 404);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(HOME_PAGE);
  };
}
