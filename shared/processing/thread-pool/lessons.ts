import { type ErrorText, toErrorText } from '../outcome/error-text.ts';
import type { BoardNote } from '../thread/board.ts';
import { OUTSIDE, WHOLE_CHUNK } from '../thread/board.ts';
import type { Preset } from '../thread/thread-task.ts';

/** What the ends of threads have taught about a chunk. */
export interface Lessons {
  presets: Preset[];
  single: boolean;
  /** Ends at which no item could be named. */
  strays: number;
  /** Threads that ended before they began. */
  unstarted: number;
}

/** How a thread ended without an answer. */
export interface Ended {
  note: BoardNote;
  stuck: boolean;
  error: unknown;
}

/** Before the first run. */
export const NO_LESSONS: Lessons = { presets: [], single: false, strays: 0, unstarted: 0 };

/**
 * Learns from a thread's end. The item it was at is charged, and nothing else; with `mapChunk` that was the whole chunk,
 * so the next run takes the items one by one. `atMs` is the service time. An item that cannot have run again is not to blame: that end is a stray.
 */
export function learn(lessons: Lessons, { note, stuck, error }: Ended, atMs: number): Lessons {
  const { position } = note;
  if (note.sequence === 0) return { ...lessons, unstarted: lessons.unstarted + 1 };
  if (position === WHOLE_CHUNK) return { ...lessons, single: true };
  if (position === OUTSIDE || lessons.presets.some(({ line }) => line === position)) {
    return { ...lessons, strays: lessons.strays + 1 };
  }
  const line = { line: position, atMs };
  const preset: Preset = stuck ? { ...line, kind: 'timedOut' } : { ...line, kind: 'killed', error: deathText(error) };
  return { ...lessons, presets: [...lessons.presets, preset] };
}

const EXITED = /^worker exited with code: (-?\d+)$/;

/** How a thread died, said for the one who wrote the handler. */
export function deathText(error: unknown): ErrorText {
  const text = toErrorText(error);
  if (isOutOfMemory(error)) {
    return { name: 'OutOfMemoryError', message: 'The handler used up the memory of its thread.' };
  }
  const exited = EXITED.exec(text.message);
  if (exited) return { name: 'ThreadExitError', message: `The handler ended its thread with exit code ${exited[1]}.` };
  return text;
}

/** Whether a thread ended because its heap was full. */
export const isOutOfMemory = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
