import { request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { InvokeRequest } from '../types.ts';
import {
  type FromHub,
  type FromInstance,
  instancePath,
  onMessage,
  type Registration,
  send,
  upgradeToken,
} from './protocol.ts';

/** An instance's end of its connection to the task hub. */
export interface HubConnection {
  /** Throws if the message is too large. */
  send(message: FromInstance): void;
  /** Asks the hub to send no more work. Resolves when no more can arrive. */
  pause(): Promise<void>;
  /** Closes the connection after all messages are sent. Resolves when the hub has closed it too. */
  close(): Promise<void>;
  /** Closes the connection immediately. */
  destroy(): void;
  closed: Promise<void>;
}

/** Runs an invocation of the hub and answers it on the connection. */
export type Run = (connection: HubConnection, id: number, request: InvokeRequest) => void;

/** How an instance connects. */
export interface ConnectOptions {
  hubUrl: string;
  registration: Registration;
  run: Run;
  /** Maximum length of a message to the hub, in characters of JSON. */
  maxMessageChars?: number | undefined;
  /** Aborts the attempt. Has no effect on an open connection. */
  signal: AbortSignal;
}

/** Connects and registers. Rejects with the hub's reason if it refuses the instance, or if it is unavailable. */
export async function openHubConnection(options: ConnectOptions): Promise<HubConnection> {
  const { hubUrl, registration, run, maxMessageChars, signal } = options;
  const { socket, head } = await upgrade(hubUrl, signal);
  const abandon = () => void socket.destroy();
  const registered = Promise.withResolvers<void>();
  const paused = Promise.withResolvers<void>();
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  let alive: NodeJS.Timeout | undefined;
  socket.once('close', () => {
    clearInterval(alive);
    registered.reject(new Error('The task hub closed the connection.'));
    paused.resolve();
  });
  socket.on('error', () => undefined); // 'close' follows.
  const connection: HubConnection = {
    send: (message) => send(socket, message, maxMessageChars),
    pause: () => {
      send(socket, { type: 'pause' });
      return paused.promise;
    },
    close: () => {
      socket.end();
      return closed;
    },
    destroy: () => void socket.destroy(),
    closed,
  };
  onMessage<FromHub>(socket, head, (message) => {
    switch (message.type) {
      case 'registered':
        alive = setInterval(() => send(socket, { type: 'alive' }), message.aliveEveryMs);
        return registered.resolve();
      case 'refused':
        return registered.reject(new Error(`The task hub refuses this instance: ${message.message}`));
      case 'invoke':
        return run(connection, message.id, message.request);
      case 'paused':
        return paused.resolve();
      default:
        message satisfies never;
    }
  });
  signal.addEventListener('abort', abandon);
  send(socket, registration);
  await registered.promise.finally(() => signal.removeEventListener('abort', abandon));
  return connection;
}

function upgrade(hubUrl: string, signal: AbortSignal): Promise<{ socket: Socket; head: Buffer }> {
  return new Promise((resolve, reject) => {
    const headers = { connection: 'Upgrade', upgrade: upgradeToken };
    const request = httpRequest(`${hubUrl}${instancePath}`, { headers, signal });
    request.once('error', reject);
    request.once('response', ({ statusCode }) =>
      reject(new Error(`${hubUrl} is not a task hub: expected an upgraded connection, got status ${statusCode}`)),
    );
    request.once('upgrade', (_response, socket, head) => resolve({ socket: socket as Socket, head }));
    request.end();
  });
}
