import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/**
 * Below the range from which systems assign ports for outgoing connections (Linux from 32768, others from 49152). A port of a
 * part that died is therefore still free when the part restarts.
 */
const LOWEST = 12_000;
const HIGHEST = 32_000;
const TRIES = 1_000;
/** Number of ports that a process reserves together. The first one holds the reservation. */
const BLOCK = 50;

/** Reserved ports of this process that are not assigned yet. */
const reserved: number[] = [];
let reserving: Promise<void> | undefined;
/** The first ports of the blocks that this process holds, or tries to hold. */
const held = new Map<number, Promise<boolean>>();

/**
 * Returns a free port of 127.0.0.1: `preferred` if it is free and no other process has reserved it. No other port is returned
 * twice in a process, or by two processes at the same time. A port therefore stays free until a child listens on it, and
 * while that child is down. Throws if none is found.
 */
export async function freePort(preferred?: number): Promise<number> {
  // A second stack with the same preferred port can follow the first one.
  if (preferred !== undefined && (await isPortFree(preferred)) && (await isOurs(preferred))) return preferred;
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

/** Whether no other process can assign the port. Holds its block if it is one of a block. */
async function isOurs(port: number): Promise<boolean> {
  const place = (port - LOWEST) % BLOCK;
  const isOfBlock = port > LOWEST && port < HIGHEST && place !== 0;
  return !isOfBlock || (await holdBlock(port - place));
}

/** Whether no process listens on a port of 127.0.0.1. */
export async function isPortFree(port: number): Promise<boolean> {
  const server = await listen(port);
  if (server === undefined) return false;
  await new Promise((closed) => server.close(closed));
  return true;
}

/** Reserves a block that no process holds. */
async function reserveBlock(): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const first = LOWEST + BLOCK * randomInt((HIGHEST - LOWEST) / BLOCK);
    if (held.has(first) || !(await holdBlock(first))) continue;
    for (let port = first + BLOCK - 1; port > first; port -= 1) reserved.push(port);
    return;
  }
  throw noPort();
}

/**
 * Holds a block: listens on its first port until the process ends. No two processes can listen on it, and the system closes
 * it when the process ends for any reason. Resolves to false if another process holds the block.
 */
function holdBlock(first: number): Promise<boolean> {
  const holding = held.get(first) ?? guardBlock(first);
  held.set(first, holding);
  return holding;
}

async function guardBlock(first: number): Promise<boolean> {
  const guard = await listen(first);
  if (guard === undefined) {
    held.delete(first);
    return false;
  }
  guard.unref();
  guard.on('connection', (socket) => socket.destroy());
  return true;
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
