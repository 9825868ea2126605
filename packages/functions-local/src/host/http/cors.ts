import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerEmpty } from './answer.ts';

/** The pages of other origins that can call the app. */
export interface CorsOptions {
  /** Origins, for example `http://localhost:3000`. A single `*` allows all. */
  origins: readonly string[];
  /** Whether browsers can send cookies and credentials. Cannot be combined with `*`. */
  credentials: boolean;
}

/** Reads a comma-separated list of origins, as in `Host.CORS`. Trailing slashes are ignored. */
export function readOrigins(text: string): string[] {
  const origins = text.split(',').map((origin) => origin.trim().replace(/\/+$/, ''));
  return origins.filter((origin) => origin !== '');
}

/** Whether pages of an origin can call the app. */
export function isAllowedOrigin({ origins }: CorsOptions, origin: string): boolean {
  return origins.some((allowed) => allowed === '*' || allowed.toLowerCase() === origin.toLowerCase());
}

/** Sets the CORS headers of an answer. If the request is a preflight request, answers it and returns true. */
export function applyCors(cors: CorsOptions, request: IncomingMessage, response: ServerResponse): boolean {
  const { origin } = request.headers;
  if (origin === undefined) return false;
  const method = request.headers['access-control-request-method'];
  const isPreflight = request.method === 'OPTIONS' && method !== undefined;
  if (isAllowedOrigin(cors, origin)) {
    const isAnyOrigin = cors.origins.includes('*');
    response.setHeader('access-control-allow-origin', isAnyOrigin ? '*' : origin);
    if (!isAnyOrigin) response.setHeader('vary', 'Origin');
    if (cors.credentials) response.setHeader('access-control-allow-credentials', 'true');
    if (isPreflight) allowRequest(request, response, method);
  }
  if (isPreflight) answerEmpty(response, 204);
  return isPreflight;
}

// As in Core Tools, an allowed origin can use every method and header.
function allowRequest(request: IncomingMessage, response: ServerResponse, method: string): void {
  response.setHeader('access-control-allow-methods', method);
  const headers = request.headers['access-control-request-headers'];
  if (headers !== undefined) response.setHeader('access-control-allow-headers', headers);
}
