import { connect, type Socket } from 'node:net';
import { answer } from './answer.ts';
import { ExchangeWatch } from './exchange-watch.ts';

/** The instance of a connection. The connection counts as one of the instance's until its release. */
export interface ProxyTarget {
  name: string;
  port: number;
  release(): void;
}

/** How long Azure's load balancer waits for the start of an answer. Source: Microsoft Learn, functions-scale. */
const RESPONSE_TIMEOUT_MS = 230_000;

/**
 * Forwards a client's bytes to an instance and back. All requests on a keep-alive connection go to the same instance. The
 * client gets 502 if the instance ends before it answers, or does not accept the connection or start its answer within
 * `timeoutMs` (default 230 s). It gets 503 if no instance is running.
 */
export function proxyConnection(
  client: Socket,
  pick: (tried: ReadonlySet<string>) => ProxyTarget | undefined,
  timeoutMs = RESPONSE_TIMEOUT_MS,
): void {
  const tried = new Set<string>();
  let current: Socket | undefined;
  const tryNext = (first: Buffer): void => {
    if (client.destroyed) return;
    const target = pick(tried);
    if (!target) {
      answer(client, 503);
      return;
    }
    tried.add(target.name);
    const instance = connect({ port: target.port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    current = instance;
    const refused = (): void => tryNext(first);
    // If the backlog of a frozen instance is full, the system tries to connect for minutes.
    const late = setTimeout(() => {
      instance.destroy();
      answer(client, 502);
    }, timeoutMs);
    instance.once('close', () => {
      clearTimeout(late);
      target.release();
    });
    instance.once('error', refused);
    instance.once('connect', () => {
      clearTimeout(late);
      instance.off('error', refused);
      forward(client, instance, first, timeoutMs);
    });
  };
  client.on('error', () => undefined); // 'close' follows.
  client.once('close', () => current?.destroy());
  // The server keeps a socket half open. A socket that the client ends without a request must be closed here.
  const endedUnused = (): void => void client.destroy();
  client.once('end', endedUnused);
  // No connection to an instance is opened before the client sends its first bytes.
  client.once('data', (first: Buffer) => {
    client.off('end', endedUnused);
    client.pause();
    tryNext(first);
  });
}

function forward(client: Socket, instance: Socket, first: Buffer, timeoutMs: number): void {
  const exchange = new ExchangeWatch();
  let late: NodeJS.Timeout | undefined;
  const sent = (chunk: Buffer): void => {
    if (!exchange.sent(chunk)) return;
    clearTimeout(late);
    late = setTimeout(() => instance.destroy(), timeoutMs);
  };
  instance.on('error', () => undefined); // 'close' follows.
  instance.on('data', (chunk: Buffer) => {
    exchange.received(chunk);
    if (!exchange.isUnanswered) clearTimeout(late);
  });
  instance.pipe(client, { end: false });
  instance.once('end', () => instance.end());
  instance.once('close', (hadError) => {
    clearTimeout(late);
    if (exchange.isUnanswered) answer(client, 502);
    else if (hadError) client.destroy();
    else client.end(() => client.destroy());
  });
  client.on('data', sent);
  sent(first);
  instance.write(first);
  client.pipe(instance);
}
