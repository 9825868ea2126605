import { decodeFrame } from '../../contract/frame.ts';
import type { FailedFold, FramePlace, OutcomeHeader, PartialLine } from '../../contract/outcome.ts';
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

/**
 * The partial aggregate, sorted by key, or the line of a fold that failed. Parsed one line at a time: a chunk's parsed lines take many times the room of
 * their text. Throws FrameError.
 */
export async function* readPartial(
  header: OutcomeHeader,
  fetchBytes: FetchBytes,
): AsyncGenerator<PartialLine | FailedFold> {
  for (const line of await readFrameLines(header.partial, fetchBytes))
    yield JSON.parse(line) as PartialLine | FailedFold;
}
