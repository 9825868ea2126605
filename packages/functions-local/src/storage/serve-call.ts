/** One call of a client: from the HTTP request through interceptor and rules to its answer. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Body,
  type CallHead,
  type CutAnswer,
  type Intercept,
  type PassingAnswer,
  readBody,
  type StorageAnswer,
  type StorageService,
  withoutHeaders,
} from './call.ts';
import type { Paging } from './pages.ts';
import type { Throttle } from './rules/throttle.ts';

/** Executes a call with the rules of the service. */
export type Handle = (head: CallHead, body: Body, view: ClientView) => Promise<PassingAnswer>;

/** The services as one client sees them. */
export interface ClientView extends ServiceClock, Paging {
  throttle?: Throttle | undefined;
}

/** The services' clock as one client sees it. */
export interface ServiceClock {
  nowMs(): number;
  checkDates: boolean;
}

/** The options for serving a call. */
export interface Serving {
  service: StorageService;
  handle: Handle;
  view: ClientView;
  /** Milliseconds that the call waits before it is processed. */
  latencyMs: number;
  intercept: Intercept | undefined;
}

/** Serves a call. Rejects if the service or the client is unavailable. */
export async function serve(serving: Serving, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { service, handle, view, latencyMs, intercept } = serving;
  const { method = '', url = '', rawHeaders: headers, socket } = incoming;
  if (latencyMs > 0) await sleep(latencyMs);
  const head = { service, method, url, headers };
  if (intercept === undefined) {
    await write(response, await handle(head, incoming, view), view);
    // If the call was refused before its body was read, the connection serves the next call only after the body.
    incoming.resume();
    return;
  }
  let reading: Promise<Buffer> | undefined;
  const body = (): Promise<Buffer> => {
    reading ??= readBody(incoming);
    return reading;
  };
  const outcome = await intercept({ ...head, path: decoded(url), body }, async () => {
    const answer = await handle(head, await body(), view);
    return { ...answer, body: await readBody(answer.body) };
  });
  if (outcome === 'resetInRequest') await readHalf(incoming);
  if (typeof outcome === 'string') return void socket.destroy();
  // A client reads no answer while it sends.
  await body();
  await writeOutcome(incoming, response, outcome, view);
}

/** Reads half of the unread body. */
async function readHalf(incoming: IncomingMessage): Promise<void> {
  const half = Number(incoming.headers['content-length'] ?? 0) / 2;
  let length = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    length += part.length;
    if (length >= half) return;
  }
}

async function writeOutcome(
  incoming: IncomingMessage,
  response: ServerResponse,
  outcome: StorageAnswer | CutAnswer,
  clock: ServiceClock,
): Promise<void> {
  if (!('cutAfterBytes' in outcome)) return write(response, outcome, clock);
  const { status, headers, body, cutAfterBytes, cutAfterMs = 0 } = outcome;
  response.writeHead(status, dated(withoutHeaders(headers, LENGTH), clock, body));
  const cut = (): void => void setTimeout(() => incoming.socket.destroy(), cutAfterMs).unref();
  response.write(body.subarray(0, cutAfterBytes), cut);
}

async function write(response: ServerResponse, { status, headers, body }: PassingAnswer, clock: ServiceClock) {
  if (!Buffer.isBuffer(body)) {
    response.writeHead(status, dated(headers, clock));
    return pipeline(body, response);
  }
  // Only the answer to HEAD has the length of an absent body.
  const whole = body.length > 0 ? dated(withoutHeaders(headers, LENGTH), clock, body) : dated(headers, clock);
  response.writeHead(status, whole);
  response.end(body);
}

const LENGTH = new Set(['content-length']);
const DATE = new Set(['date']);

/** Sets the Date header to the client's clock. Azurite leaves the header to Node for some answers. */
function dated(headers: readonly string[], clock: ServiceClock, body?: Buffer): string[] {
  const length = body === undefined ? [] : ['Content-Length', String(body.length)];
  return [...withoutHeaders(headers, DATE), ...length, 'Date', new Date(clock.nowMs()).toUTCString()];
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
