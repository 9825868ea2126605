/** Messages between the task hub's process and the instances of an app: lines of JSON over an upgraded connection. */
import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import type { DurableFunctionKind, InvokeRequest, RpcValue } from '../types.ts';

/** Path and token of the HTTP upgrade with which an instance connects. */
export const instancePath = '/instances';
export const upgradeToken = 'functions-local-task-hub';

/**
 * Maximum length of a message. It is half of V8's maximum string length (2^29 - 24 characters), since the JSON inside the
 * message is a string too. A sender refuses a longer message; a receiver closes the connection.
 */
const MAX_MESSAGE_CHARS = 256 * 1024 * 1024;

/** The first message of an instance. */
export interface Registration {
  type: 'register';
  /** Name of the instance, which stays the same after a restart. */
  instance: string;
  /** host.json's `extensions.durableTask`, with resolved settings. */
  config: Record<string, unknown>;
  /** Origin of the app's public address, for the links of the management API. */
  baseUrl: string;
  systemKey?: string;
  functions: { name: string; kind: DurableFunctionKind }[];
}

/** The messages of an instance. */
export type FromInstance =
  | Registration
  | { type: 'returned'; id: number; value?: RpcValue }
  | { type: 'threw'; id: number; message: string; stack?: string }
  /** The invocation has no result and must run again. */
  | { type: 'lost'; id: number; message: string }
  /** Renews the visibility timeout of everything that the instance runs. */
  | { type: 'alive' }
  /** Asks the hub to send no more work. */
  | { type: 'pause' };

/** The messages of the task hub. */
export type FromHub =
  | { type: 'registered'; aliveEveryMs: number }
  | { type: 'refused'; message: string }
  | { type: 'invoke'; id: number; request: InvokeRequest }
  /** Confirms that no `invoke` follows. */
  | { type: 'paused' };

/**
 * Sends one message. Does nothing if the connection is closed. Throws if the JSON is longer than `maxChars`: the receiver
 * would close the connection, which would cancel all other work on it.
 */
export function send(socket: Socket, message: FromInstance | FromHub, maxChars = MAX_MESSAGE_CHARS): void {
  if (!socket.writable) return;
  const text = toJson(message);
  if (text === undefined || text.length > maxChars) {
    const length = text === undefined ? '' : `${text.length} characters of JSON, `;
    throw new Error(`${NOUNS[message.type] ?? 'message'} too large: ${length}at most ${maxChars} characters of JSON`);
  }
  socket.write(`${text}\n`);
}

const NOUNS: Partial<Record<(FromInstance | FromHub)['type'], string>> = {
  invoke: 'input',
  returned: 'result',
  threw: 'error',
};

/** Returns undefined if the text would be longer than V8's maximum string length. */
function toJson(message: FromInstance | FromHub): string | undefined {
  try {
    return JSON.stringify(message);
  } catch (error: unknown) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Calls `listener` for each message. Closes the connection if a line is not valid JSON. */
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
    if (length > MAX_MESSAGE_CHARS) throw new Error(`A message is longer than ${MAX_MESSAGE_CHARS} characters`);
  };
  // A socket of an HTTP server does not accept `setEncoding`.
  const decoder = new StringDecoder('utf8');
  socket.on('data', (chunk: Buffer) => {
    try {
      read(decoder.write(chunk));
    } catch (error: unknown) {
      socket.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  });
  // Bytes that arrived with the upgrade's head are put back at the front.
  if (head.length > 0) socket.unshift(head);
}
