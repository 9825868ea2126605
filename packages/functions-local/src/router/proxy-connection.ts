import { connect, type Socket } from 'node:net';
import { answer } from './answer.ts';
import { ExchangeWatch } from './exchange-watch.ts';

/** Where a connection can go to. It counts as one of its target's until its release. */
export interface ProxyTarget {
  name: string;
  port: number;
  release(): void;
}

/** As long as Azure's load balancer waits for the begin of an answer (learn: functions-scale). */
const RESPONSE_TIMEOUT_MS = 230_000;

/**
 * Passes a client's bytes to an instance and back. A connection stays with its instance: requests over one that is kept
 * alive all go there. When the instance is gone before it has answered, or does not accept the connection or begin its
 * answer within `timeoutMs` (default 230 s), the client gets 502; when none is up, 503.
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
    // The backlog of an instance that is frozen may be full: the system then tries to connect for minutes.
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
      join(client, instance, first, timeoutMs);
    });
  };
  client.on('error', () => undefined); // 'close' follows.
  client.once('close', () => current?.destroy());
  // The server keeps a socket half open, so nobody else would close one that ends unused.
  const endedUnused = (): void => void client.destroy();
  client.once('end', endedUnused);
  // Nothing is opened for a connection that is only kept in store.
  client.once('data', (first: Buffer) => {
    client.off('end', endedUnused);
    client.pause();
    tryNext(first);
  });
}

function join(client: Socket, instance: Socket, first: Buffer, timeoutMs: number): void {
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
