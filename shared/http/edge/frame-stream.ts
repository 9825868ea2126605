import { type ChunkFrame, readAhead } from '../../results/chunk-pages.ts';

/** Frames of finished chunks, and a function that reads one of them in one operation. */
export interface Frames<T> {
  frames: readonly ChunkFrame[];
  read: (frame: ChunkFrame) => Promise<T>;
}

/** Number of frames that are read ahead of the one that is being sent. */
export const AHEAD = 4;

/** Creates the pieces of a body from frames that are read while it is sent. */
export const frameStream = <T>(
  { frames, read }: Frames<T>,
  toPieces: (chunks: AsyncIterable<T>) => AsyncIterable<string>,
): AsyncIterable<string> => toPieces(readAhead(frames, AHEAD, read));
