import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type ProxyTarget, proxyConnection } from './proxy-connection.ts';

/** An instance of the app that accepts connections. */
export interface Target {
  name: string;
  url: string;
}

/** The public address of an app with several instances. */
export interface Router {
  /** Without a trailing slash. */
  url: string;
  /** Cuts all connections. */
  close: () => void;
}

/** Listens on 127.0.0.1 and forwards each connection to the current target with the fewest connections. */
export async function startRouter(port: number, targets: () => readonly Target[]): Promise<Router> {
  const clients = new Set<Socket>();
  const load = new Map<string, number>();
  let turn = 0;
  const pick = (tried: ReadonlySet<string>): ProxyTarget | undefined => {
    const left = targets().filter(({ name }) => !tried.has(name));
    // Targets with equally many connections alternate.
    turn += 1;
    const inTurn = left.map((_, index) => left[(turn + index) % left.length] as Target);
    const [best] = inTurn.sort((a, b) => (load.get(a.name) ?? 0) - (load.get(b.name) ?? 0));
    if (!best) return undefined;
    const add = (count: number) => load.set(best.name, (load.get(best.name) ?? 0) + count);
    add(1);
    return { name: best.name, port: Number(new URL(best.url).port), release: () => void add(-1) };
  };
  // A client can end its half of the connection and still wait for the answer.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    clients.add(client);
    client.once('close', () => clients.delete(client));
    proxyConnection(client, pick);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      for (const client of clients) client.destroy();
    },
  };
}
