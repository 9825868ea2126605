import type { Socket } from 'node:net';
import type { DurableConfig } from '../config.ts';
import type { Worker } from '../dispatch/workers.ts';
import { WorkerLostError } from '../errors.ts';
import type { DurableFunctionKind, InvokeRequest, RpcValue } from '../types.ts';
import { type FromInstance, send } from './protocol.ts';

/** Maximum time between two keep-alive messages. */
const MAX_ALIVE_MS = 1_000;
/** After this many missing keep-alive messages, an instance receives no more work. */
const MISSED = 3;

/** An instance of the app, seen from the task hub. */
export interface ConnectedInstance {
  name: string;
  worker: Worker;
  aliveEveryMs: number;
  /** Processes a result or a keep-alive message. */
  receive(message: FromInstance): void;
  /** Whether no invocation is open: each was answered or given up. */
  isIdle(): boolean;
  /** Gives up the open invocations, which then run again. */
  giveUp(reason: string): void;
  /** Stops watching for keep-alive messages. Open invocations are given up after their visibility timeout. */
  disconnect(): void;
}

interface Invocation {
  resolve(value: RpcValue | undefined): void;
  reject(error: Error): void;
  visibility: NodeJS.Timeout;
}

/** Options for the connection of one instance. */
export interface Watch {
  name: string;
  socket: Socket;
  config: Readonly<DurableConfig>;
  /** Maximum length of a message to the instance, in characters of JSON. */
  maxMessageChars?: number | undefined;
  /** Called when keep-alive messages are missing, for example because the process is frozen. */
  onSilent(): void;
  /** Called when keep-alive messages arrive again. */
  onAlive(): void;
}

/**
 * Creates the hub's end of a connection. As with a message of the Azure Storage provider, an invocation becomes visible again
 * if it was not renewed for its visibility timeout, whether the instance died or is frozen.
 */
export function createConnectedInstance(watch: Watch): ConnectedInstance {
  const { name, socket, config, maxMessageChars, onSilent, onAlive } = watch;
  const visibilityMs: Record<DurableFunctionKind, number> = {
    orchestrator: config.orchestratorVisibilityTimeoutMs,
    activity: config.activityVisibilityTimeoutMs,
  };
  const aliveEveryMs = Math.ceil(Math.min(MAX_ALIVE_MS, ...Object.values(visibilityMs).map((ms) => ms / 4)));
  const invocations = new Map<number, Invocation>();
  let lastId = 0;
  let isSilent = false;
  let isPaused = false;
  const silence = setTimeout(() => {
    isSilent = true;
    onSilent();
  }, MISSED * aliveEveryMs);

  const settle = (id: number): Invocation | undefined => {
    const found = invocations.get(id);
    clearTimeout(found?.visibility);
    invocations.delete(id);
    return found;
  };
  const lose = (id: number, reason: string) => settle(id)?.reject(new WorkerLostError(`instance '${name}' ${reason}`));
  const renew = () => {
    silence.refresh();
    for (const { visibility } of invocations.values()) visibility.refresh();
    if (isSilent && !isPaused) onAlive();
    isSilent = false;
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
          // Sent first. If it cannot be sent to this instance, it cannot be sent to another one either, and the call must
          // fail.
          send(socket, { type: 'invoke', id, request }, maxMessageChars);
          const ms = visibilityMs[request.kind];
          const visibility = setTimeout(() => lose(id, `sent nothing for ${ms} ms`), ms);
          invocations.set(id, { resolve, reject, visibility });
        }),
    },
    receive: (message) => {
      if (message.type === 'pause') isPaused = true;
      renew();
      if (message.type === 'returned') settle(message.id)?.resolve(message.value);
      if (message.type === 'lost') lose(message.id, `ended an invocation: ${message.message}`);
      if (message.type === 'threw') settle(message.id)?.reject(toThrown(message));
    },
    isIdle: () => invocations.size === 0,
    giveUp: (reason) => {
      for (const id of [...invocations.keys()]) lose(id, reason);
    },
    disconnect: () => clearTimeout(silence),
  };
}

function toThrown({ message, stack }: { message: string; stack?: string }): Error {
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
