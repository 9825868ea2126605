import type { Socket } from 'node:net';
import type { DurableConfig } from '../config.ts';
import type { Worker } from '../dispatch/workers.ts';
import { WorkerLostError } from '../errors.ts';
import type { DurableFunctionKind, InvokeRequest, RpcValue } from '../types.ts';
import { type FromInstance, send } from './protocol.ts';

/** Longest time between two signs of life. */
const MAX_ALIVE_MS = 1_000;
/** After this many signs of life that did not come, an instance is given no more work. */
const MISSED = 3;

/** An instance of the app as the task hub sees it. */
export interface ConnectedInstance {
  name: string;
  worker: Worker;
  aliveEveryMs: number;
  /** Takes an answer, or a sign of life. */
  receive(message: FromInstance): void;
  /** Whether it has answered, or has been given up for, all that it was given. */
  isIdle(): boolean;
  /** Gives up what the instance was given: it is run again. */
  giveUp(reason: string): void;
  /** Stops watching for signs of life. What runs is given up when its visibility timeout is over. */
  disconnect(): void;
}

interface Invocation {
  resolve(value: RpcValue | undefined): void;
  reject(error: Error): void;
  visibility: NodeJS.Timeout;
}

/** How an instance is watched. */
export interface Watch {
  name: string;
  socket: Socket;
  config: Readonly<DurableConfig>;
  /** Longest message that it is sent, in characters of JSON. */
  maxMessageChars?: number | undefined;
  /** It gives no signs of life, as one that is frozen. */
  onQuiet(): void;
  /** It gives them again. */
  onBack(): void;
}

/**
 * Makes the hub's end of a connection. As a message of the Azure Storage provider, what an instance was given comes
 * back when nobody has renewed it for its visibility timeout, whether the instance is dead or stands still.
 */
export function createConnectedInstance(watch: Watch): ConnectedInstance {
  const { name, socket, config, maxMessageChars, onQuiet, onBack } = watch;
  const visibilityMs: Record<DurableFunctionKind, number> = {
    orchestrator: config.turnVisibilityTimeoutMs,
    activity: config.activityVisibilityTimeoutMs,
  };
  const aliveEveryMs = Math.ceil(Math.min(MAX_ALIVE_MS, ...Object.values(visibilityMs).map((ms) => ms / 4)));
  const invocations = new Map<number, Invocation>();
  let lastId = 0;
  let isQuiet = false;
  let isPaused = false;
  const quiet = setTimeout(() => {
    isQuiet = true;
    onQuiet();
  }, MISSED * aliveEveryMs);

  const settle = (id: number): Invocation | undefined => {
    const found = invocations.get(id);
    clearTimeout(found?.visibility);
    invocations.delete(id);
    return found;
  };
  const lose = (id: number, reason: string) => settle(id)?.reject(new WorkerLostError(`instance '${name}' ${reason}`));
  const renew = () => {
    quiet.refresh();
    for (const { visibility } of invocations.values()) visibility.refresh();
    if (isQuiet && !isPaused) onBack();
    isQuiet = false;
  };
  return {
    name,
    aliveEveryMs,
    worker: {
      limits: { orchestrator: config.maxConcurrentOrchestrators, activity: config.maxConcurrentActivities },
      invoke: (request: InvokeRequest) =>
        new Promise((resolve, reject) => {
          lastId += 1;
          const id = lastId;
          // First: what cannot be sent fails, since another instance could not be sent it either.
          send(socket, { type: 'invoke', id, request }, maxMessageChars);
          const ms = visibilityMs[request.kind];
          const visibility = setTimeout(() => lose(id, `was not heard of for ${ms} ms`), ms);
          invocations.set(id, { resolve, reject, visibility });
        }),
    },
    receive: (message) => {
      if (message.type === 'pause') isPaused = true;
      renew();
      if (message.type === 'returned') settle(message.id)?.resolve(message.value);
      if (message.type === 'threw') settle(message.id)?.reject(toThrown(message));
    },
    isIdle: () => invocations.size === 0,
    giveUp: (reason) => {
      for (const id of [...invocations.keys()]) lose(id, reason);
    },
    disconnect: () => clearTimeout(quiet),
  };
}

function toThrown({ message, stack }: { message: string; stack?: string }): Error {
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
