import type { HttpRequest } from '@azure/functions';
import { ClientGoneError, Problem } from '../../../errors.ts';
import { TimeLimitError, withinTime } from '../../../time-limit.ts';

/**
 * Maximum wait for the next bytes of a body. A running upload holds one of the few slots of its instance, so a handful of
 * silent clients would otherwise block all others. Azure's front end cuts a request after 230 s.
 */
const MAX_SILENCE_MS = 60_000;

/**
 * Yields the body of a request as it arrives; yields nothing if there is no body.
 * @throws Problem 'upload-stalled' if no bytes arrive for `maxSilenceMs`; ClientGoneError if the stream fails, which only the
 * client can cause.
 */
export async function* requestBody(request: HttpRequest, maxSilenceMs = MAX_SILENCE_MS): AsyncGenerator<Uint8Array> {
  if (!request.body) return;
  const pieces = (request.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  try {
    for (let piece = await nextOf(pieces, maxSilenceMs); !piece.done; piece = await nextOf(pieces, maxSilenceMs))
      yield piece.value;
  } finally {
    // Releases a body that is not read to its end. Not awaited: it would wait for bytes that may never arrive.
    pieces.return?.().catch(() => undefined);
  }
}

async function nextOf(
  pieces: AsyncIterator<Uint8Array, unknown>,
  maxSilenceMs: number,
): Promise<IteratorResult<Uint8Array>> {
  const next = pieces.next();
  // An abandoned read may fail later; without a handler, its rejection would end the process.
  next.catch(() => undefined);
  try {
    return await withinTime(next, maxSilenceMs, 'The upload');
  } catch (cause) {
    if (!(cause instanceof TimeLimitError)) throw new ClientGoneError('The client aborted its request.', { cause });
    throw new Problem('upload-stalled', `No bytes of the body arrived for ${maxSilenceMs / 1000} s.`);
  }
}
