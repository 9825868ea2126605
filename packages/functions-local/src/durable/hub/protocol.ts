/** Messages between the task hub's process and the instances of an app: lines of JSON over an upgraded connection. */
import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import type { DurableFunctionKind, InvokeRequest, RpcValue } from '../types.ts';

/** Path and token of the HTTP upgrade by which an instance connects. */
export const instancePath = '/instances';
export const upgradeToken = 'functions-local-task-hub';

/**
 * Longest message. Half of V8's longest string (2^29 - 24 characters), since the JSON that it carries is a string too.
 * A sender refuses a longer one; a receiver ends the connection.
 */
const MAX_MESSAGE_CHARS = 256 * 1024 * 1024;

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

/**
 * Sends one message; nothing happens on a connection that is gone. Throws when its JSON is longer than `maxChars`: the
 * receiver would end the connection, and with it everything else that runs over it.
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

/** Undefined when the text would be longer than V8's longest string. */
function toJson(message: FromInstance | FromHub): string | undefined {
  try {
    return JSON.stringify(message);
  } catch (error: unknown) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
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
    if (length > MAX_MESSAGE_CHARS) throw new Error(`A message is longer than ${MAX_MESSAGE_CHARS} characters`);
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
