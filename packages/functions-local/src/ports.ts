import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the range that systems take ports for outgoing connections from (Linux from 32768, others from 49152): a part
 * that dies finds its port still free when it comes back.
 */
const LOWEST = 12_000;
const HIGHEST = 32_000;
const TRIES = 100;

const given = new Set<number>();

/**
 * A free port of 127.0.0.1, `preferred` if it is free. No other port is given twice in a process. Throws when none is
 * found.
 */
export async function freePort(preferred?: number): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const isPreferred = tries === 0 && preferred !== undefined;
    const port = isPreferred ? preferred : randomInt(LOWEST, HIGHEST);
    // A second stack on a preferred port may follow the first one.
    if ((!isPreferred && given.has(port)) || !(await isPortFree(port))) continue;
    given.add(port);
    return port;
  }
  throw new Error(`Expected a free port from ${LOWEST} to ${HIGHEST} on 127.0.0.1, found none in ${TRIES} tries.`);
}

/** Whether nothing listens on a port of 127.0.0.1. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
