/** The ports of one client of the front: three HTTP servers with a separate clock and interceptor. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLocalRequest } from '../local-request.ts';
import type { Intercept, StorageService } from './call.ts';
import { connectionString, type ServicePorts, type StorageAccount } from './connection-string.ts';
import { createPaging, type PagePolicy, STRICT_PAGES } from './pages.ts';
import type { Throttle } from './rules/throttle.ts';
import { type Handle, serve } from './serve-call.ts';
import { MAX_HEADER_BYTES } from './upstream.ts';

export interface ClientOptions {
  /** Decides about each call. Without one, large bodies are streamed and never held in memory. */
  intercept?: Intercept;
  /** Milliseconds by which the services' clock is ahead of the machine's, for this client. Defaults to 0. */
  clockOffsetMs?: () => number;
  /**
   * Whether a call is refused if its date differs from the services' clock by more than 15 minutes. Defaults to true. Turn it
   * off in a test that moves the services' clock days ahead without the clients' clocks.
   */
  checkDates?: boolean;
  /** How pages of queries and listings are cut. Defaults to STRICT_PAGES. */
  pages?: PagePolicy;
  /** Milliseconds that every call waits before it is processed, to simulate a distant service. Defaults to 0. */
  latencyMs?: number;
  /** Refuses calls above the limits of the account. By default, no call is throttled. */
  throttle?: Throttle;
  /** The ports to listen on. By default, free ports are selected. */
  ports?: ServicePorts;
}

/** The access of one client to the front. */
export interface FrontClient {
  ports: ServicePorts;
  /** For the SDKs. Defaults to the emulator's account. */
  connectionString(account?: StorageAccount): string;
  /** Closes the ports and cuts open connections. */
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

/**
 * Longer than clients keep idle connections, as on the services. Otherwise, a request could be sent on a connection that is
 * being closed.
 */
const KEEP_ALIVE_MS = 75_000;

/** Node itself would answer 408 to a call whose body takes more than 5 minutes. That decision belongs to the service. */
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
    // The emulator's key is public, so a signature does not prove that the call is not from a web page.
    if (!isLocalRequest(incoming.headers)) return refuse(incoming, response);
    // A message whose body was aborted has no reference to its socket any more.
    const { socket } = incoming;
    // The service or the client is unavailable. In both cases a connection is closed without an answer.
    serveCall(incoming, response).catch(() => socket.destroy());
  });
  server.maxHeadersCount = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}

function refuse(incoming: IncomingMessage, response: ServerResponse): void {
  response.writeHead(403).end();
  incoming.resume();
}

function closeAll(servers: readonly Server[]): void {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
}
