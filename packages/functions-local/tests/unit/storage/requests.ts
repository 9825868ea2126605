/** Requests for the rules of the storage front. */
import type { StorageService } from '../../../src/storage/call.ts';
import { parseRequest, type Request } from '../../../src/storage/request.ts';
import { type Rule, refusalOf } from '../../../src/storage/rules/rule.ts';
import type { ServiceClock } from '../../../src/storage/serve-call.ts';

export interface Given {
  method?: string;
  /** After the account, with the query; percent-encoded. */
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer | object;
}

/** Creates a parsed call. An object as the body is sent as JSON. */
export function requestOf(service: StorageService, { method = 'PUT', path, headers = {}, body = '' }: Given): Request {
  const head = { service, method, url: `/account/${path}`, headers: Object.entries(headers).flat() };
  const bytes =
    Buffer.isBuffer(body) || typeof body === 'string' ? Buffer.from(body) : Buffer.from(JSON.stringify(body));
  return { ...parseRequest(head), body: bytes };
}

export const NOON: ServiceClock = { nowMs: () => Date.UTC(2026, 0, 2, 12), checkDates: true };

/** Returns rule, status and code of the first refusal, or undefined. */
export function refusedBy(rules: readonly Rule[], request: Request, clock = NOON): string | undefined {
  const refusal = refusalOf(rules, request, clock);
  return refusal && `${refusal.rule} ${refusal.status} ${refusal.code}`;
}
