/** What the task hub's process and the instances of an app tell each other: lines of JSON over an upgraded connection. */
import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import type { DurableFunctionKind, InvokeRequest, RpcValue } from '../types.ts';

/** Path and token of the HTTP upgrade by which an instance connects. */
export const instancePath = '/instances';
export const upgradeToken = 'functions-local-task-hub';

/** A longer line ends its connection: it would be a runaway history, and a string must fit into memory. */
const MAX_LINE_CHARS = 256 * 1024 * 1024;

/** The first line of an instance. */
export interface Registration {
  type: 'register';
  /** Name of the instance, the same after a restart. */
  instance: string;
  /** host.json's `extensions.durableTask`, settings resolved. */
  config: Record<string, unknown>;
  /** Origin of the app's public address, for the links of the management API. */
  baseUrl: string;
  systemKey?: string;
  functions: { name: string; kind: DurableFunctionKind }[];
}

/** What an instance sends. */
export type FromInstance =
  | Registration
  | { type: 'returned'; id: number; value?: RpcValue }
  | { type: 'threw'; id: number; message: string; stack?: string }
  /** Keeps what the instance runs invisible to others. */
  | { type: 'alive' }
  /** Asks for no more work. */
  | { type: 'pause' };

/** What the task hub sends. */
export type FromHub =
  | { type: 'registered'; aliveEveryMs: number }
  | { type: 'refused'; message: string }
  | { type: 'invoke'; id: number; request: InvokeRequest }
  /** No `invoke` follows. */
  | { type: 'paused' };

/** Sends one message; nothing happens on a connection that is gone. */
export function send(socket: Socket, message: FromInstance | FromHub): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}

/** Calls back for each message; what is no JSON ends the connection. */
export function onMessage<Message>(socket: Socket, head: Buffer, listener: (message: Message) => void): void {
  let parts: string[] = [];
  let length = 0;
  const read = (text: string): void => {
    const lines = text.split('\n');
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      parts.push(line);
      const whole = parts.join('');
      parts = [];
      length = 0;
      listener(JSON.parse(whole) as Message);
    }
    parts.push(rest);
    length += rest.length;
    if (length > MAX_LINE_CHARS) throw new Error(`A message is longer than ${MAX_LINE_CHARS} characters`);
  };
  // An HTTP server's socket refuses an encoding.
  const decoder = new StringDecoder('utf8');
  socket.on('data', (chunk: Buffer) => {
    try {
      read(decoder.write(chunk));
    } catch (error: unknown) {
      socket.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  });
  // What came with the upgrade's head is put back in front.
  if (head.length > 0) socket.unshift(head);
}
