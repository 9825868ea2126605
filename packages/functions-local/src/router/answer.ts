import type { Socket } from 'node:net';

const TEXTS = {
  502: ['Bad Gateway', 'The instance of the app ended before it answered.'],
  503: ['Service Unavailable', 'No instance of the app is running.'],
} as const;

/** How long a client that is still sending has to read the answer. */
const LINGER_MS = 5_000;

/** Answers in place of an instance, and closes the connection. */
export function answer(client: Socket, status: keyof typeof TEXTS): void {
  const [reason, text] = TEXTS[status];
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    'Content-Type: text/plain',
    `Content-Length: ${text.length}`,
    'Connection: close',
  ];
  client.end(`${head.join('\r\n')}\r\n\r\n${text}`);
  // Closing a connection with unread bytes would reset it, and the client would lose the answer.
  client.resume();
  client.once('end', () => client.destroy());
  setTimeout(() => client.destroy(), LINGER_MS).unref();
}
