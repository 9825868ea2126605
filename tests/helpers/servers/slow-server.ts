/** A downstream that takes its time, and knows who called. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call of the item at a position, by the handler on an instance. */
export interface Call {
  n: number;
  instance: string;
}

export interface SlowServer {
  url: string;
  /** All calls since the last `forget`, in order; those that wait among them. */
  calls: Call[];
  forget: () => void;
  stop: () => void;
}

/** Starts a server that answers `/?n=<position>&ms=<milliseconds>&instance=<name>` after so long. */
export async function startSlowServer(): Promise<SlowServer> {
  const calls: Call[] = [];
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
    calls.push({ n: Number(searchParams.get('n')), instance: searchParams.get('instance') ?? '' });
    setTimeout(() => response.end(), Number(searchParams.get('ms')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    calls,
    forget: () => void calls.splice(0),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
