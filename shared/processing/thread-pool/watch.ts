import { type Board, type BoardNote, OUTSIDE, readBoard } from '../thread/board.ts';

const TICK_MS = 50;
/** An asynchronous handler that overran its time is ended in the thread itself; only a blocked thread gets this far. */
const GRACE_MS = 2_000;
/** Loading a thread's file takes parts of a second; a machine that needs longer than this is not worth waiting for. */
const START_MS = 30_000;
/** Decoding and encoding take milliseconds; only a value's endless `toJSON` or a thrashing heap takes this long. */
const OUTSIDE_MS = 60_000;

/** Whether a thread whose note has been the same for `sameForMs` has to be ended. */
export function isStuck(note: BoardNote, sameForMs: number): boolean {
  if (note.sequence === 0) return sameForMs > START_MS;
  return sameForMs > (note.position === OUTSIDE ? OUTSIDE_MS : note.timeoutMs + GRACE_MS);
}

/** Watches a board; calls `onStuck` once when the thread no longer moves. Returns the function that stops watching. */
export function watchBoard(board: Board, clockMs: () => number, onStuck: (note: BoardNote) => void): () => void {
  let sequence = -1;
  let sinceMs = 0;
  const timer = setInterval(() => {
    const note = readBoard(board);
    if (note.sequence !== sequence) {
      sequence = note.sequence;
      sinceMs = clockMs();
    } else if (isStuck(note, clockMs() - sinceMs)) {
      clearInterval(timer);
      onStuck(note);
    }
  }, TICK_MS);
  return () => clearInterval(timer);
}
