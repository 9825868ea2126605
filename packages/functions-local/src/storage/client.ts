/** The ports of one client of the front: three HTTP servers with a clock and an interceptor of their own. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
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
import { connectionString, type ServicePorts, type StorageAccount } from './connection-string.ts';
import { createPaging, type PagePolicy, type Paging, STRICT_PAGES } from './pages.ts';
import type { Throttle } from './throttle.ts';
import { MAX_HEADER_BYTES } from './upstream.ts';

export interface ClientOptions {
  /** Sees and decides about each call. Default: none; then large bodies are streamed and never held in memory. */
  intercept?: Intercept;
  /** Milliseconds that the services' clock is ahead of the machine's, as this client sees it. Default: 0. */
  clockOffsetMs?: () => number;
  /**
   * Whether a call whose date is more than 15 minutes off the services' clock is refused. Default: true. A test that
   * sends the services' clock days ahead while the clients' clocks stay turns it off.
   */
  checkDates?: boolean;
  /** How pages of queries and listings are cut. Default: STRICT_PAGES. */
  pages?: PagePolicy;
  /** Milliseconds that every call waits before it is looked at, as for a network and a service far away. Default: 0. */
  latencyMs?: number;
  /** Refuses calls above the limits of the account. Default: no call is throttled. */
  throttle?: Throttle;
  /** Where it listens. Default: any free ports. */
  ports?: ServicePorts;
}

/** What a client is given. */
export interface FrontClient {
  ports: ServicePorts;
  /** For the SDKs; default: the emulator's own account. */
  connectionString(account?: StorageAccount): string;
  /** Closes the ports and cuts what is still open. */
  close(): void;
}

/** Carries out a call by the rules of the service. */
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

/** Opens three ports of 127.0.0.1. */
export async function openClient(handle: Handle, options: ClientOptions): Promise<FrontClient> {
  const { clockOffsetMs = () => 0, checkDates = true, pages = STRICT_PAGES, latencyMs = 0, throttle } = options;
  const view = { nowMs: () => Date.now() + clockOffsetMs(), checkDates, throttle, ...createPaging(pages) };
  const open = (service: StorageService): Promise<Server> =>
    listen(options.ports?.[service] ?? 0, (incoming, response) =>
      serve({ service, handle, view, latencyMs, intercept: options.intercept }, incoming, response),
    );
  const servers = await Promise.all([open('blob'), open('queue'), open('table')]);
  const [blob = 0, queue = 0, table = 0] = servers.map((server) => (server.address() as AddressInfo).port);
  const ports = { blob, queue, table };
  return { ports, connectionString: (account) => connectionString(ports, account), close: () => closeAll(servers) };
}

/** Longer than clients keep idle connections, as the services do: a request on its way would meet a connection that is closed. */
const KEEP_ALIVE_MS = 75_000;

/** Node would answer 408 itself to a call whose body takes more than 5 minutes, which is the service's to decide. */
const LIMITS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  requestTimeout: 0,
  headersTimeout: 60_000,
  keepAliveTimeout: KEEP_ALIVE_MS,
};

async function listen(
  port: number,
  serveCall: (incoming: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Server> {
  const server = createServer(LIMITS, (incoming, response) => {
    // A message whose body was given up half way no longer knows its socket.
    const { socket } = incoming;
    // The service is away, or the client is: a connection without an answer is what both look like.
    serveCall(incoming, response).catch(() => socket.destroy());
  });
  server.maxHeadersCount = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}

function closeAll(servers: readonly Server[]): void {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
}

interface Serving {
  service: StorageService;
  handle: Handle;
  view: ClientView;
  latencyMs: number;
  intercept: Intercept | undefined;
}

async function serve(serving: Serving, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { service, handle, view, latencyMs, intercept } = serving;
  const { method = '', url = '', rawHeaders: headers, socket } = incoming;
  if (latencyMs > 0) await sleep(latencyMs);
  const head = { service, method, url, headers };
  if (intercept === undefined) {
    await write(response, await handle(head, incoming, view), view);
    // A call that was refused before its body was read: the connection serves the next call only after that.
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
  // A client that still sends reads no answer.
  await body();
  await writeOutcome(incoming, response, outcome, view);
}

/** Reads half of what has not been read yet. */
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
  // Only the answer to HEAD has the length of a body that is not there.
  const whole = body.length > 0 ? dated(withoutHeaders(headers, LENGTH), clock, body) : dated(headers, clock);
  response.writeHead(status, whole);
  response.end(body);
}

const LENGTH = new Set(['content-length']);
const DATE = new Set(['date']);

/** Azurite leaves the Date header to Node in places: here every answer has one, by the client's clock. */
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
