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
 * alive all go there. When the instance is gone before it has answered, the client gets 502; when none is up, 503.
 */
export function proxyConnection(client: Socket, pick: (tried: ReadonlySet<string>) => ProxyTarget | undefined): void {
  const tried = new Set<string>();
  const tryNext = (first: Buffer): void => {
    if (client.destroyed) return;
    const target = pick(tried);
    if (!target) {
      answer(client, 503);
      return;
    }
    tried.add(target.name);
    const instance = connect({ port: target.port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    const refused = (): void => tryNext(first);
    instance.once('close', target.release);
    instance.once('error', refused);
    instance.once('connect', () => {
      instance.off('error', refused);
      if (client.destroyed) instance.destroy();
      else join(client, instance, first);
    });
  };
  client.on('error', () => undefined); // 'close' follows.
  // Nothing is opened for a connection that is only kept in store.
  client.once('data', (first: Buffer) => {
    client.pause();
    tryNext(first);
  });
}

function join(client: Socket, instance: Socket, first: Buffer): void {
  const exchange = new ExchangeWatch();
  let late: NodeJS.Timeout | undefined;
  const sent = (chunk: Buffer): void => {
    if (!exchange.sent(chunk)) return;
    clearTimeout(late);
    late = setTimeout(() => instance.destroy(), RESPONSE_TIMEOUT_MS);
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
  client.once('close', () => instance.destroy());
  client.on('data', sent);
  sent(first);
  instance.write(first);
  client.pipe(instance);
}
