import { headerOf, type Intercept, type StorageCall } from 'functions-local';

/** Whether a call must not be answered. */
type IsHeld = (call: StorageCall) => boolean | Promise<boolean>;

/** Calls to storage that are not answered, so that the app stands still at that step until it is killed. */
export interface Holds {
  intercept: Intercept;
  /** From now on, calls of this kind wait. */
  add(isHeld: IsHeld): void;
}

export function createHolds(): Holds {
  const held: IsHeld[] = [];
  return {
    add: (isHeld) => void held.push(isHeld),
    intercept: async (call, forward) => {
      for (const isHeld of held) if (await isHeld(call)) return new Promise(() => {});
      return forward();
    },
  };
}

/** Receives of a queue. */
export const receives =
  (queue: string): IsHeld =>
  ({ service, method, path }) =>
    service === 'queue' && method === 'GET' && path.includes(`/${queue}/messages?`) && !path.includes('peekonly');

/** Messages that are put on a queue, after the first `free` ones. */
export function puts(queue: string, free: number): IsHeld {
  let left = free;
  return ({ service, method, path }) => {
    if (service !== 'queue' || method !== 'POST' || !path.includes(`/${queue}/messages`)) return false;
    left -= 1;
    return left < 0;
  };
}

/** Outcomes of a batch. */
export const outcomesOf =
  (batch: string): IsHeld =>
  ({ service, method, path }) =>
    service === 'blob' && method === 'PUT' && path.includes('/results/') && path.includes(batch);

/** Changes of the gate of a queue, without which no drain starts. */
export const gateChanges =
  (queue: string): IsHeld =>
  async (call) => {
    const { service, method, path, headers } = call;
    if (service !== 'table' || method === 'GET' || !/\/(gates|\$batch)/.test(path)) return false;
    return path.includes(queue) || (headerOf(headers, 'content-length') !== '0' && (await call.body()).includes(queue));
  };
