import type { ServerResponse } from 'node:http';
import { BodyTooLargeError } from '../../errors.ts';
import type { Invoker } from '../../invocation/invoker.ts';
import type { RpcData, RpcHttp } from '../../worker-protocol.ts';
import { answerEmpty } from '../answer.ts';
import { readWhole } from '../body.ts';
import { formatCookie } from './cookie.ts';
import { type Exchange, joinHeaders, toInvocation } from './exchange.ts';

/** Serves an exchange with request and response completely in memory, as the library does without `enableHttpStream`. */
export async function serveBuffered(exchange: Exchange, invoker: Invoker): Promise<void> {
  const { response } = exchange;
  try {
    const body = await readWhole(exchange.request, exchange.bodyLimitBytes);
    const { returnValue } = await invoker.invoke(
      toInvocation(exchange, toTrigger(exchange, body), toMetadata(exchange)),
    );
    if (returnValue?.http) sendHttp(response, returnValue.http);
    else answerEmpty(response, 204);
  } catch (error: unknown) {
    answerEmpty(response, error instanceof BodyTooLargeError ? 413 : 500);
  }
}

function toTrigger({ request, url, hit }: Exchange, body: Buffer): RpcData {
  return {
    http: {
      url: url.href,
      method: request.method ?? 'GET',
      nullableHeaders: toNullable(joinHeaders(request)),
      nullableQuery: toNullable(joinQuery(url)),
      nullableParams: toNullable(hit.params),
      ...(body.length > 0 ? { body: { bytes: body } } : {}),
    },
  };
}

function toMetadata({ request, url, hit }: Exchange): Record<string, RpcData> {
  const query = joinQuery(url);
  const values = Object.entries({ ...query, ...hit.params }).map(([name, value]) => [name, { string: value }] as const);
  return {
    ...Object.fromEntries(values),
    Query: { json: JSON.stringify(query) },
    Headers: { json: JSON.stringify(joinHeaders(request)) },
  };
}

function joinQuery(url: URL): Record<string, string> {
  const names = [...new Set(url.searchParams.keys())];
  return Object.fromEntries(names.map((name) => [name, url.searchParams.getAll(name).join(',')]));
}

function toNullable(values: Record<string, string>): Record<string, { value: string }> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));
}

function sendHttp(response: ServerResponse, http: RpcHttp): void {
  if (response.headersSent || response.destroyed) return;
  response.statusCode = Number(http.statusCode ?? 200);
  for (const [name, value] of Object.entries(http.headers ?? {})) response.setHeader(name, value);
  const cookies = (http.cookies ?? []).map(formatCookie);
  if (cookies.length > 0) response.setHeader('set-cookie', cookies);
  const bytes = http.body?.bytes ?? Buffer.from(http.body?.string ?? http.body?.json ?? '');
  if (![204, 304].includes(response.statusCode)) response.setHeader('content-length', bytes.length);
  response.end(bytes);
}
