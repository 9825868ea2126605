import { decodeFrame } from '../../contract/frame.ts';
import type { FramePlace } from '../../contract/outcome.ts';
import { splitLines } from '../sources.ts';

/** Fetches bytes [offset, offset + length) of an outcome blob. */
export type FetchBytes = (offset: number, length: number) => Promise<Uint8Array>;

/**
 * Reads the lines of one of an outcome's frames as text; none if the frame is absent.
 * @throws FrameError if the bytes do not match the header.
 */
export async function readFrameLines(place: FramePlace | undefined, fetchBytes: FetchBytes): Promise<string[]> {
  if (place === undefined) return [];
  const frame = await fetchBytes(place.offset, place.length);
  return splitLines(decodeFrame(frame, { bytes: place.bytes, digest: place.digest }).toString('utf8'));
}
