import type { HttpRequest } from '@azure/functions';
import { ClientGoneError, Problem } from '../../../errors.ts';
import { TimeLimitError, withinTime } from '../../../time-limit.ts';

/**
 * Longest wait for the next bytes of a body. An upload holds one of few places of its instance while it comes in, so that a
 * handful of clients that have fallen silent would keep all others out. Azure's front end cuts a request after 230 s.
 */
const MAX_SILENCE_MS = 60_000;

/**
 * The body of a request as it comes in; none is empty.
 * @throws Problem 'upload-stalled' when no bytes come for `maxSilenceMs`; ClientGoneError when it breaks off: it comes from
 * the client alone, so nothing else can make it fail.
 */
export async function* requestBody(request: HttpRequest, maxSilenceMs = MAX_SILENCE_MS): AsyncGenerator<Uint8Array> {
  if (!request.body) return;
  const pieces = (request.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  try {
    for (let piece = await nextOf(pieces, maxSilenceMs); !piece.done; piece = await nextOf(pieces, maxSilenceMs))
      yield piece.value;
  } finally {
    // Lets go of a body that is not read to its end. Not waited for: it comes after bytes that may not come.
    pieces.return?.().catch(() => undefined);
  }
}

async function nextOf(
  pieces: AsyncIterator<Uint8Array, unknown>,
  maxSilenceMs: number,
): Promise<IteratorResult<Uint8Array>> {
  const next = pieces.next();
  // The one that is given up must not end the process when it fails later.
  next.catch(() => undefined);
  try {
    return await withinTime(next, maxSilenceMs, 'The upload');
  } catch (cause) {
    if (!(cause instanceof TimeLimitError)) throw new ClientGoneError('The client broke off its request.', { cause });
    throw new Problem('upload-stalled', `No bytes of the body came for ${maxSilenceMs / 1000} s.`);
  }
}
