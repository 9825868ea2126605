import type { HttpRequest } from '@azure/functions';
import { ClientGoneError, Problem } from '../../../errors.ts';
import { TimeLimitError, withinTime } from '../../../time-limit.ts';

export interface Pace {
  /** Longest silence. Also the time that a client may be behind `minBytesPerSecond`. */
  maxSilenceMs: number;
  minBytesPerSecond: number;
}

/**
 * A client in arrears holds the memory of what it has sent, and often a place that others wait for. The silence allows for
 * programs that make their upload while they send it; the rate is below that of any line in use, and well above that of a
 * client that only keeps its connection open. Azure's front end cuts a request after 230 s.
 */
const PACE: Pace = { maxSilenceMs: 60_000, minBytesPerSecond: 4 * 1024 };

/**
 * Yields the body of a request as it arrives; yields nothing if there is no body.
 * @throws Problem 'upload-stalled' if it arrives more slowly than `pace`; ClientGoneError if the stream fails, which only the
 * client can cause.
 */
export async function* requestBody(request: HttpRequest, pace = PACE): AsyncGenerator<Uint8Array> {
  if (!request.body) return;
  const pieces = (request.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  // Every byte restores time at the minimum rate. The time between two reads is not the client's and does not count.
  let leftMs = pace.maxSilenceMs;
  try {
    for (;;) {
      const beganMs = performance.now();
      const piece = await nextOf(pieces, leftMs, pace);
      if (piece.done) return;
      const earnedMs = (piece.value.length / pace.minBytesPerSecond) * 1_000;
      leftMs = Math.min(pace.maxSilenceMs, leftMs - (performance.now() - beganMs) + earnedMs);
      yield piece.value;
    }
  } finally {
    // Releases a body that is not read to its end. Not awaited: it would wait for bytes that may never arrive.
    pieces.return?.().catch(() => undefined);
  }
}

async function nextOf(
  pieces: AsyncIterator<Uint8Array>,
  leftMs: number,
  { maxSilenceMs, minBytesPerSecond }: Pace,
): Promise<IteratorResult<Uint8Array>> {
  const next = pieces.next();
  // An abandoned read may fail later; without a handler, its rejection would end the process.
  next.catch(() => undefined);
  try {
    return await withinTime(next, leftMs, 'The upload');
  } catch (cause) {
    if (!(cause instanceof TimeLimitError)) throw new ClientGoneError('The client aborted its request.', { cause });
    const pace = `at least ${minBytesPerSecond} bytes per second, with pauses of at most ${maxSilenceMs / 1000} s`;
    throw new Problem('upload-stalled', `The body arrived too slowly: expected ${pace}.`);
  }
}
