import type { Server } from 'node:http';
import type { Invoker } from '../../invocation/invoker.ts';
import type { RpcData } from '../../worker-protocol.ts';
import { answerEmpty } from '../answer.ts';
import { readLimited } from '../body.ts';
import { parseRouteTemplate } from '../routing/route-template.ts';
import { withBackpressure } from './backpressure.ts';
import { type Exchange, joinHeaders, toInvocation } from './exchange.ts';
import { createProxiedResponse } from './proxied-response.ts';

/**
 * Serves an exchange with the library's proxy server, without a connection: the server receives the client's streams. The
 * library writes the answer, unless the handler threw or returned nothing. In these cases this function answers.
 */
export async function serveStream(exchange: Exchange, server: Server, invoker: Invoker): Promise<void> {
  const { request, response, hit, invocationId, bodyLimitBytes } = exchange;
  let tooLarge = false;
  const proxied = createProxiedResponse(response);
  const body = readLimited(request, bodyLimitBytes, () => {
    tooLarge = true;
  });
  const proxiedRequest = {
    method: request.method,
    url: request.url,
    headers: {
      'x-ms-invocation-id': invocationId,
      'x-forwarded-host': request.headers.host ?? 'localhost',
      'x-forwarded-proto': 'http',
    },
    [Symbol.asyncIterator]: () => body,
  };
  const metadata: Record<string, RpcData> = { Headers: { json: JSON.stringify(joinHeaders(request)) } };
  // The library takes `request.params` from here, so that it also contains the query, except for names of the route.
  for (const [name, value] of [...queryBesides(hit.route.template, exchange.url), ...Object.entries(hit.params)]) {
    metadata[name] = { string: value };
  }
  server.emit('request', proxiedRequest, proxied);
  try {
    await invoker.invoke({
      ...toInvocation(exchange, {}, metadata),
      onResult: (result) => (tooLarge ? { status: 413 } : withBackpressure(result, proxied)),
    });
    if (!proxied.begun) answerEmpty(response, 204);
  } catch {
    // The invoker has logged the error. Sent data cannot be undone; the closed connection shows the failure.
    if (proxied.begun) response.destroy();
    else answerEmpty(response, tooLarge ? 413 : 500);
  }
}

function queryBesides(template: string, { searchParams }: URL): [string, string][] {
  const parts = parseRouteTemplate(template).flat();
  const names = parts.flatMap((part) => (typeof part === 'string' ? [] : [part.name.toLowerCase()]));
  return [...searchParams].filter(([name]) => !['code', ...names].includes(name.toLowerCase()));
}
