import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/**
 * Below the range that systems take ports for outgoing connections from (Linux from 32768, others from 49152): a part
 * that dies finds its port still free when it comes back.
 */
const LOWEST = 12_000;
const HIGHEST = 32_000;
const TRIES = 1_000;
/** Ports that a process reserves at a time; the first of them holds the reservation. */
const BLOCK = 50;

/** Ports of blocks of this process that it has not given yet. */
const reserved: number[] = [];
let reserving: Promise<void> | undefined;

/**
 * A free port of 127.0.0.1, `preferred` if it is free. No other port is given twice in a process, nor by two processes at a
 * time: a port stays free between the moment when it is chosen and the moment when a child listens on it, and while that
 * child is down. Throws when none is found.
 */
export async function freePort(preferred?: number): Promise<number> {
  // A second stack on a preferred port may follow the first one.
  if (preferred !== undefined && (await isPortFree(preferred))) return preferred;
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (reserved.length === 0) {
      reserving ??= reserveBlock().finally(() => {
        reserving = undefined;
      });
      await reserving;
    }
    const port = reserved.pop();
    if (port !== undefined && (await isPortFree(port))) return port;
  }
  throw noPort();
}

/** Whether nothing listens on a port of 127.0.0.1. */
export async function isPortFree(port: number): Promise<boolean> {
  const server = await listen(port);
  if (server === undefined) return false;
  await new Promise((closed) => server.close(closed));
  return true;
}

/**
 * Listens on the first port of a block until the process ends: no two processes can, and the system closes it
 * when the process ends for any reason.
 */
async function reserveBlock(): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const first = LOWEST + BLOCK * randomInt((HIGHEST - LOWEST) / BLOCK);
    const guard = await listen(first);
    if (guard === undefined) continue;
    guard.unref();
    guard.on('connection', (socket) => socket.destroy());
    for (let port = first + BLOCK - 1; port > first; port -= 1) reserved.push(port);
    return;
  }
  throw noPort();
}

const noPort = (): Error =>
  new Error(`Expected a free port from ${LOWEST} to ${HIGHEST} on 127.0.0.1, found none in ${TRIES} tries.`);

function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
