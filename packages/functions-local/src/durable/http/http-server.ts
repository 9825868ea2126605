import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLocalRequest } from '../../local-request.ts';
import type { Core } from '../core.ts';
import { AnswerLostError, RequestError, toError } from '../errors.ts';
import { type Reply, readExchange } from './http-exchange.ts';
import { route } from './http-routes.ts';

/** Path of the RPC listener, the same as in the extension. */
export const rpcPath = '/durabletask';

/** Answers a request whose path starts with `base`, with an error if it fails. */
export async function answer(
  core: Core,
  request: IncomingMessage,
  response: ServerResponse,
  base: string,
): Promise<void> {
  try {
    send(response, await route(core, await readExchange(request, base)));
  } catch (error: unknown) {
    // The effect is stored, but the client must not notice. Therefore it receives no answer.
    if (error instanceof AnswerLostError) response.destroy();
    else send(response, toErrorReply(error));
  }
}

function toErrorReply(thrown: unknown): Reply {
  const error = toError(thrown);
  const [status, exceptionType] =
    error instanceof RequestError ? [error.status, error.exceptionType] : [500, 'System.Exception'];
  if (status === 404 || status === 410) return { status };
  // Sent as a text: the client uses that of a 501 as the message of its error.
  if (status === 412 || status === 501) return { status, body: error.message };
  const body = { Message: error.message, ExceptionMessage: error.message, ExceptionType: exceptionType };
  return { status, body };
}

function send(response: ServerResponse, reply: Reply): void {
  const text = reply.body === undefined ? '' : JSON.stringify(reply.body);
  response.writeHead(reply.status, { 'content-type': 'application/json; charset=utf-8', ...reply.headers });
  response.end(text);
}

/** The HTTP server for the client library. */
export interface RpcListener {
  server: Server;
  /** Without a path and without a trailing slash. */
  origin: string;
  close: () => Promise<void>;
}

/** Listens on 127.0.0.1 for the client library. Port 0 selects a free port. Without a core, the answer is 503. */
export async function listenForRpc(getCore: () => Core | undefined, port = 0): Promise<RpcListener> {
  const server = createServer((request, response) => {
    const core = getCore();
    if (!isFromClient(request)) response.writeHead(403).end();
    else if (!request.url?.toLowerCase().startsWith(`${rpcPath}/`)) response.writeHead(404).end();
    else if (core) void answer(core, request, response, rpcPath);
    else response.writeHead(503).end('No instance of the app is connected to the task hub.');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address() as AddressInfo;
  return { server, origin: `http://127.0.0.1:${address.port}`, close: () => close(server) };
}

/** Whether a request comes from a process of this machine and not from a web page. This endpoint checks no key. */
export function isFromClient({ headers }: IncomingMessage): boolean {
  return headers.origin === undefined && isLocalRequest(headers);
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
