import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Invocation } from '../../invocation/invoker.ts';
import type { RpcData } from '../../worker-protocol.ts';
import type { RouteHit } from '../routing/router.ts';

/** One HTTP request that a function answers. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  hit: RouteHit;
  url: URL;
  bodyLimitBytes: number;
  invocationId: string;
  /** Values of the function's other input bindings. */
  extraInputs: { name: string; data: RpcData }[];
}

/** Creates the exchange of one request. */
export function createExchange(parts: Omit<Exchange, 'invocationId'>): Exchange {
  return { ...parts, invocationId: randomUUID() };
}

/** Returns a request's headers as strings. Repeated headers are joined with commas. */
export function joinHeaders(request: IncomingMessage): Record<string, string> {
  const entries = Object.entries(request.headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : String(value)]),
  );
}

/** Creates the invocation of an exchange. `trigger` is the trigger's value. */
export function toInvocation(exchange: Exchange, trigger: RpcData, metadata: Record<string, RpcData>): Invocation {
  const { hit, request, invocationId, extraInputs } = exchange;
  const { traceparent, tracestate } = request.headers;
  return {
    fn: hit.route.fn,
    inputs: [{ name: hit.route.triggerName, data: trigger }, ...extraInputs],
    triggerMetadata: metadata,
    reason: 'This function was programmatically called via the host APIs.',
    invocationId,
    traceContext: {
      ...(typeof traceparent === 'string' ? { traceParent: traceparent } : {}),
      ...(typeof tracestate === 'string' ? { traceState: tracestate } : {}),
    },
  };
}
