import type { IncomingMessage, ServerResponse } from 'node:http';
import { BodyTooLargeError } from '../errors.ts';

/** `FUNCTIONS_REQUEST_BODY_SIZE_LIMIT` when not set: 210 MB, as on Azure. */
export const DEFAULT_BODY_LIMIT_BYTES = 220_200_960;

/** How long what is left of a refused upload is read and thrown away before the connection is cut. */
const LINGER_MS = 2_000;

/** Whether the announced length alone is above the limit. */
export function isAnnouncedTooLarge(request: IncomingMessage, limitBytes: number): boolean {
  return Number(request.headers['content-length'] ?? 0) > limitBytes;
}

/** A request's body, counted as it comes. Throws BodyTooLargeError at the chunk that passes the limit. */
export async function* readLimited(
  request: IncomingMessage,
  limitBytes: number,
  onTooLarge: () => void = () => undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  // Leaving the loop must not destroy the request: its socket still has to carry the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > limitBytes) {
      onTooLarge();
      throw new BodyTooLargeError(limitBytes);
    }
    yield chunk;
  }
}

/** The whole body in memory. Throws BodyTooLargeError. */
export async function readWhole(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readLimited(request, limitBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * Throws away what the client still sends after its answer, for a short time, then cuts the connection. Cutting at once
 * would reset it, and many clients would then see a broken connection in place of the answer. `lingerMs`: default 2 s.
 */
export function discardRest(request: IncomingMessage, response: ServerResponse, lingerMs = LINGER_MS): void {
  if (request.complete || request.destroyed) return;
  // A reader that gave up half-way leaves its listener behind, which would keep the stream from flowing.
  request.removeAllListeners('readable');
  request.on('error', () => undefined);
  // A listener, not resume(): node has resumed the stream already, and stops it again for the listeners just removed.
  request.on('data', () => undefined);
  const cut = setTimeout(() => request.destroy(), lingerMs).unref();
  request.once('close', () => clearTimeout(cut));
  // The body came whole: the connection belongs to the requests that follow.
  request.once('end', () => clearTimeout(cut));
  response.on('error', () => undefined);
}
