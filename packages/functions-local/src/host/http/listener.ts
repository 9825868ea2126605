import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { toError } from '../errors.ts';
import type { HostLog } from '../log/host-log.ts';
import { answerEmpty } from './answer.ts';
import { discardRest } from './body.ts';

/** Answers one request. If it throws, the answer is 500. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The host's HTTP server. */
export interface HttpListener {
  port: number;
  /** Accepts no more connections, and waits for open requests for at most `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/**
 * Longer than clients keep idle connections, so that the server does not close a connection on which a request is being sent.
 */
const KEEP_ALIVE_MS = 75_000;

const SWEEP_MS = 20;

/** Opens the listener on 127.0.0.1. Port 0 selects a free port. */
export async function openListener(port: number, handler: RequestHandler, log: HostLog): Promise<HttpListener> {
  // The duration of an upload is not limited, since that of the answer is.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MS });
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    response.once('finish', () => discardRest(request, response));
    handler(request, response).catch((error: unknown) => {
      log.write('error', 'Host.Http', `${request.method} ${request.url}: ${toError(error).stack}`);
      answerEmpty(response, 500);
    });
  };
  server.on('request', serve);
  // A client that sends `Expect: 100-continue` can be refused before it sends its body.
  server.on('checkContinue', serve);
  const sockets = trackSockets(server);
  await listen(server, port);
  return { port: (server.address() as AddressInfo).port, close: (graceMs) => close(server, sockets, graceMs) };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1' }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function close(server: Server, sockets: ReadonlySet<Socket>, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const sweep = () => {
      server.closeIdleConnections();
      // Clients open connections in advance. The server does not count connections without any request as idle.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    };
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    // Repeated, because a connection that becomes idle after the stop began would be kept open for its next request.
    const sweeping = setInterval(sweep, SWEEP_MS);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(sweeping);
      resolve();
    });
    sweep();
  });
}

function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}
