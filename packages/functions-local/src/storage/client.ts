/** The ports of one client of the front: three HTTP servers with a clock and an interceptor of their own. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Intercept, StorageService } from './call.ts';
import { connectionString, type ServicePorts, type StorageAccount } from './connection-string.ts';
import { createPaging, type PagePolicy, STRICT_PAGES } from './pages.ts';
import type { Throttle } from './rules/throttle.ts';
import { type Handle, serve } from './serve-call.ts';
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
