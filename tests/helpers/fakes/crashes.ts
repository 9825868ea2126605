/** A process that dies at its k-th write: this write takes effect, its answer is lost, and nothing follows. */

/** Names of the calls that write, of all clients. */
const WRITES = new Set([
  ...['createEntity', 'updateEntity', 'upsertEntity', 'deleteEntity', 'submitTransaction'],
  ...['upload', 'stageBlock', 'commitBlockList', 'delete', 'deleteIfExists', 'deleteBlob', 'beginCopyFromURL'],
  ...['sendMessage', 'deleteMessage', 'updateMessage', 'publish', 'startNew'],
]);
/** Calls that return another client, which dies with its process, too. */
const CLIENTS = new Set(['getBlockBlobClient', 'getBlobClient', 'container', 'queue', 'queues']);

export class Crash extends Error {
  override name = 'Crash';
}

/** The progress of a process. */
export interface Process {
  writes: number;
  dead: boolean;
}

/** Wraps dependencies so that the process dies at write number `at`, counted from 1. */
export function dyingAt<T extends object>(deps: T, at: number, process: Process = { writes: 0, dead: false }): T {
  return new Proxy(deps, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value === 'function') return wrap(value.bind(target), String(name), { at, process });
      // Frozen objects are data, and a proxy must return them unchanged.
      const isPart = typeof value === 'object' && value !== null && !Object.isFrozen(target) && !Object.isFrozen(value);
      return isPart ? dyingAt(value, at, process) : value;
    },
  });
}

type Call = (...args: unknown[]) => unknown;

/** Calls that no service receives: the error of the crash must reach the test past them. */
const INNER = new Set(['now', 'add']);

function wrap(call: Call, name: string, { at, process }: { at: number; process: Process }): Call {
  return (...args) => {
    if (process.dead && !INNER.has(name)) throw new Crash(name);
    if (CLIENTS.has(name)) return dyingAt(call(...args) as object, at, process);
    if (!WRITES.has(name)) return call(...args);
    process.writes += 1;
    const isLast = process.writes === at;
    // Concurrent calls continue; no further one begins.
    if (isLast) process.dead = true;
    return isLast ? Promise.resolve(call(...args)).then(() => Promise.reject(new Crash(name))) : call(...args);
  };
}
