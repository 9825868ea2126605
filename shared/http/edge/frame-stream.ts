import { type ChunkFrame, readAhead } from '../../results/chunk-pages.ts';
import type { AnswerStream } from './answers.ts';

/** Frames of finished chunks, and a function that reads one of them in one operation. */
export interface Frames<T> {
  frames: readonly ChunkFrame[];
  read: (frame: ChunkFrame) => Promise<T>;
}

/** Number of frames that are read ahead of the one that is being sent. */
export const AHEAD = 4;

/** Creates a body from frames that are read while it is sent, with the operations of these reads. */
export const frameStream = <T>(
  { frames, read }: Frames<T>,
  toPieces: (chunks: AsyncIterable<T>) => AsyncIterable<string>,
): AnswerStream => ({
  pieces: toPieces(readAhead(frames, AHEAD, read)),
  operations: frames.length === 0 ? {} : { 'blob.get': frames.length },
});
