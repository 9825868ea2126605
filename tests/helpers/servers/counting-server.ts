/**
 * The service that handlers call: counts the calls by its own clock, and refuses those beyond its limit, if it has one.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { TimedCall } from './rates.ts';

/** A call that was not refused. `atMs` is when its head arrived, by a monotonic clock. */
export interface CountedCall extends TimedCall {
  endMs: number | undefined;
  instance: string;
}

export interface CountingServerOptions {
  /**
   * Maximum number of calls in any `perMs`. Further calls are refused with 429 and Retry-After, and are not counted.
   */
  limit?: { calls: number; perMs: number };
  /** Duration of a call. */
  latencyMs: number;
  /** Returns the number of items in the body of a call, and the response. */
  answer: (body: unknown, request: IncomingMessage) => { items: number; body: unknown };
}

export interface CountingServer {
  url: string;
  /** Calls that were not refused, in order. */
  calls: CountedCall[];
  /** Times of refused calls. */
  refusedAtMs: number[];
  forget: () => void;
  stop: () => void;
}

/** Starts the server on a free port of this machine. Callers may identify themselves in the header `x-instance`. */
export async function startCountingServer(options: CountingServerOptions): Promise<CountingServer> {
  const { limit, latencyMs, answer } = options;
  const calls: CountedCall[] = [];
  const refusedAtMs: number[] = [];
  const server = createServer(async (request, response) => {
    const atMs = performance.now();
    const oldest = limit && calls.at(-limit.calls);
    if (oldest && atMs - oldest.atMs < limit.perMs) {
      refusedAtMs.push(atMs);
      request.resume();
      const seconds = Math.ceil((oldest.atMs + limit.perMs - atMs) / 1_000);
      response.writeHead(429, { 'retry-after': String(seconds) }).end();
      return;
    }
    const instance = String(request.headers['x-instance'] ?? '');
    const call: CountedCall = { atMs, endMs: undefined, items: 0, instance };
    calls.push(call);
    // When a caller dies, its connection closes, and its call has ended for it.
    response.on('close', () => {
      call.endMs ??= performance.now();
    });
    const body = await json(request).catch(() => undefined);
    if (body === undefined) return void response.writeHead(400).end();
    const answered = answer(body, request);
    call.items = answered.items;
    setTimeout(() => {
      call.endMs ??= performance.now();
      response.end(JSON.stringify(answered.body));
    }, latencyMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    refusedAtMs,
    forget: () => {
      calls.length = 0;
      refusedAtMs.length = 0;
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
