import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Decides about a change of the durable task hub: true permits it. May take its time. */
export type DurableFault = (operation: string, phase: 'before' | 'after') => Promise<boolean>;

/** Listens for the questions of a task hub; `url` is the stack's `durableFaultUrl`. */
export async function listenForDurable(fault: DurableFault): Promise<{ url: string; close: () => void }> {
  const answer = async ({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, operation = '', phase] = url.split('/');
    const passes = await fault(operation, phase === 'after' ? 'after' : 'before');
    response.writeHead(passes ? 200 : 500).end();
  };
  const server = createServer((request, response) => {
    request.resume();
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
