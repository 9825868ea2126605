/** An HTTP proxy before one storage service, through which a test sees, fails, delays and repeats every call of the app. */
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type StorageService = 'blob' | 'queue' | 'table';

/** A call as it came in. `path` with its query, decoded where it can be. */
export interface StorageCall {
  service: StorageService;
  method: string;
  path: string;
  body: Buffer;
}

/** What the service answered; headers as they came, name and value in turn. */
export interface StorageAnswer {
  status: number;
  headers: string[];
  body: Buffer;
}

/** `reset` cuts the connection without an answer. */
export type Outcome = StorageAnswer | 'reset';

/** Decides about a call: `forward` carries it out, as often as it is called. */
export type Intercept = (call: StorageCall, forward: () => Promise<StorageAnswer>) => Promise<Outcome>;

export interface ProxyOptions {
  service: StorageService;
  /** Port of the real service on 127.0.0.1. */
  target: number;
  intercept: Intercept;
  /** Added to the service's clock, as the app sees it in Date headers. */
  clockOffsetMs?: () => number;
}

export interface StorageProxy {
  port: number;
  close(): void;
}

/** Starts a proxy on a free port of 127.0.0.1. Signatures stay valid: they cover the path, not the port. */
export async function startStorageProxy(options: ProxyOptions): Promise<StorageProxy> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, response) => {
    serve(options, agent, incoming, response).catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, close: () => closeAll(server, agent) };
}

function closeAll(server: Server, agent: Agent): void {
  server.close();
  server.closeAllConnections();
  agent.destroy();
}

async function serve(
  options: ProxyOptions,
  agent: Agent,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { service, target, intercept, clockOffsetMs = () => 0 } = options;
  const body = await readAll(incoming);
  const call = { service, method: incoming.method ?? '', path: decoded(incoming.url ?? ''), body };
  const outcome = await intercept(call, () => forward({ target, agent }, incoming, body));
  if (outcome === 'reset') return void incoming.socket.destroy();
  response.writeHead(outcome.status, shifted(outcome.headers, clockOffsetMs()));
  response.end(outcome.body);
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function forward(
  { target, agent }: { target: number; agent: Agent },
  { method, url, rawHeaders }: IncomingMessage,
  body: Buffer,
): Promise<StorageAnswer> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: target, method, path: url, agent, headers: pairs(rawHeaders, CUT) };
    const outgoing = request(options, (answer) => {
      readAll(answer).then(
        (bytes) => resolve({ status: answer.statusCode ?? 502, headers: answer.rawHeaders, body: bytes }),
        reject,
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** The body is whole here, so that its length is known and no transfer coding is left. */
const CUT = new Set(['connection', 'transfer-encoding', 'keep-alive']);
const DATED = new Set([...CUT, 'date']);

function pairs(raw: readonly string[], without: ReadonlySet<string>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? '';
    if (!without.has(name.toLowerCase())) headers[name] = raw[index + 1] ?? '';
  }
  return headers;
}

/** Azurite leaves the Date header to Node in places: here every answer has one, by the clock of the test. */
function shifted(raw: readonly string[], offsetMs: number): Record<string, string> {
  const headers = pairs(raw, DATED);
  return { ...headers, date: new Date(Date.now() + offsetMs).toUTCString() };
}

/** An answer that the SDK does not repeat the call for: stands for a call of which every repeat failed, too. */
export const refusal = (): StorageAnswer => ({
  status: 403,
  headers: ['x-ms-error-code', 'InjectedFault', 'content-length', '0'],
  body: Buffer.alloc(0),
});
