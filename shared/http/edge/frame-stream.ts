import { type ChunkFrame, readAhead } from '../../results/chunk-pages.ts';
import type { AnswerStream } from './answers.ts';

/** Frames of finished chunks, and how one is read: by one operation. */
export interface Frames<T> {
  frames: readonly ChunkFrame[];
  read: (frame: ChunkFrame) => Promise<T>;
}

/** Frames read ahead of the one that is being sent. */
export const AHEAD = 4;

/** A body from frames that are read while it is sent, with what their reads will cost. */
export const frameStream = <T>(
  { frames, read }: Frames<T>,
  toPieces: (chunks: AsyncIterable<T>) => AsyncIterable<string>,
): AnswerStream => ({
  pieces: toPieces(readAhead(frames, AHEAD, read)),
  operations: frames.length === 0 ? {} : { 'blob.get': frames.length },
});
