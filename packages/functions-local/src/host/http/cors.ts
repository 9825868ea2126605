import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerEmpty } from './answer.ts';

/** Which pages of other origins may call the app. */
export interface CorsOptions {
  /** Origins such as `http://localhost:3000`; `*` alone allows all. */
  origins: readonly string[];
  /** Whether browsers may send cookies and credentials; cannot be combined with `*`. */
  credentials: boolean;
}

/** Reads a comma-separated list of origins, as in `Host.CORS`. A slash at an origin's end is ignored. */
export function readOrigins(text: string): string[] {
  const origins = text.split(',').map((origin) => origin.trim().replace(/\/+$/, ''));
  return origins.filter((origin) => origin !== '');
}

/** Whether pages of an origin may call the app. */
export function isAllowedOrigin({ origins }: CorsOptions, origin: string): boolean {
  return origins.some((allowed) => allowed === '*' || allowed.toLowerCase() === origin.toLowerCase());
}

/** Sets the CORS headers of an answer. Returns true when the request was a preflight, which it has answered then. */
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

// As Core Tools: an allowed origin may use every method and header.
function allowRequest(request: IncomingMessage, response: ServerResponse, method: string): void {
  response.setHeader('access-control-allow-methods', method);
  const headers = request.headers['access-control-request-headers'];
  if (headers !== undefined) response.setHeader('access-control-allow-headers', headers);
}
