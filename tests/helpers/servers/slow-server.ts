/** A slow downstream that records its callers. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call of the item at a position, by the handler on an instance. */
export interface Call {
  n: number;
  instance: string;
}

export interface SlowServer {
  url: string;
  /** All calls since the last `forget`, in order, including waiting ones. */
  calls: Call[];
  forget: () => void;
  stop: () => void;
}

/** Starts a server that responds to `/?n=<position>&ms=<milliseconds>&instance=<name>` after that time. */
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
