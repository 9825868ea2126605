import { decodeFrame } from '../../contract/frame.ts';
import type { DeadItem, FramePlace, OutcomeHeader, PartialLine, RetryItem } from '../../contract/outcome.ts';
import { splitLines } from '../sources.ts';

/** Fetches bytes [offset, offset + length) of an outcome blob. */
export type FetchBytes = (offset: number, length: number) => Promise<Uint8Array>;

/**
 * The lines of one of an outcome's frames as text; none if the frame is absent.
 * @throws FrameError when the bytes are not what the header promises.
 */
export async function readFrameLines(place: FramePlace | undefined, fetchBytes: FetchBytes): Promise<string[]> {
  if (place === undefined) return [];
  const frame = await fetchBytes(place.offset, place.length);
  return splitLines(decodeFrame(frame, { bytes: place.bytes, digest: place.digest }).toString('utf8'));
}

/** The results as JSON text, in the order of the chunk's items; they are never parsed here. Throws FrameError. */
export const readResultLines = (header: OutcomeHeader, fetchBytes: FetchBytes): Promise<string[]> =>
  readFrameLines(header.results, fetchBytes);

/** The items that are to be tried again. Throws FrameError. */
export const readRetries = (header: OutcomeHeader, fetchBytes: FetchBytes): AsyncGenerator<RetryItem> =>
  parsed<RetryItem>(header.retries, fetchBytes);

/** The dead letters. Throws FrameError. */
export const readDead = (header: OutcomeHeader, fetchBytes: FetchBytes): AsyncGenerator<DeadItem> =>
  parsed<DeadItem>(header.dead, fetchBytes);

/** The partial aggregate, sorted by key. Throws FrameError. */
export const readPartial = (header: OutcomeHeader, fetchBytes: FetchBytes): AsyncGenerator<PartialLine> =>
  parsed<PartialLine>(header.partial, fetchBytes);

/** One at a time: a chunk's parsed items take many times the room of their text. */
async function* parsed<T>(place: FramePlace | undefined, fetchBytes: FetchBytes): AsyncGenerator<T> {
  for (const line of await readFrameLines(place, fetchBytes)) yield JSON.parse(line) as T;
}
