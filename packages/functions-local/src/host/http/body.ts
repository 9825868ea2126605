import type { IncomingMessage, ServerResponse } from 'node:http';
import { BodyTooLargeError } from '../errors.ts';

/** Default of `FUNCTIONS_REQUEST_BODY_SIZE_LIMIT`: 210 MB, as on Azure. */
export const DEFAULT_BODY_LIMIT_BYTES = 220_200_960;

/** How long the rest of a refused upload is read and dropped before the connection is cut. */
const LINGER_MS = 2_000;

/** Whether the Content-Length is larger than the limit. */
export function isAnnouncedTooLarge(request: IncomingMessage, limitBytes: number): boolean {
  return Number(request.headers['content-length'] ?? 0) > limitBytes;
}

/** Reads a request's body in chunks and counts its bytes. Throws BodyTooLargeError at the chunk that exceeds the limit. */
export async function* readLimited(
  request: IncomingMessage,
  limitBytes: number,
  onTooLarge: () => void = () => undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  // Leaving the loop must not destroy the request, since its socket still has to send the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > limitBytes) {
      onTooLarge();
      throw new BodyTooLargeError(limitBytes);
    }
    yield chunk;
  }
}

/** Reads the whole body into memory. Throws BodyTooLargeError. */
export async function readWhole(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readLimited(request, limitBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * Drops what the client still sends after its answer, for at most `lingerMs` (default 2 s), then cuts the connection. Cutting
 * it immediately would reset it, and many clients would then report a broken connection instead of the answer.
 */
export function discardRest(request: IncomingMessage, response: ServerResponse, lingerMs = LINGER_MS): void {
  if (request.complete || request.destroyed) return;
  // A reader that stopped halfway leaves its listener behind, which would prevent the stream from flowing.
  request.removeAllListeners('readable');
  request.on('error', () => undefined);
  // A listener instead of resume(): node has resumed the stream already, and pauses it again after the listeners were
  // removed.
  request.on('data', () => undefined);
  const cut = setTimeout(() => request.destroy(), lingerMs).unref();
  request.once('close', () => clearTimeout(cut));
  // The body is complete. The connection is kept for further requests.
  request.once('end', () => clearTimeout(cut));
  response.on('error', () => undefined);
}
