import { printable, toLine } from '../text/printable.ts';

/** A line that changes: it is redrawn in a terminal; elsewhere, new lines are printed at intervals. */
export interface StatusLine {
  show(text: string): void;
  /** Prints `text` in full above the shown text. */
  print(text: string): void;
  finish(text: string): void;
}

export type Screen = Pick<NodeJS.WriteStream, 'write'> & { isTTY?: boolean; columns?: number };

/** Minimum interval of lines outside a terminal, so that a log file does not fill with similar lines. */
const PLAIN_INTERVAL_MS = 2_000;
const CLEAR = '\r\u001b[2K';

/**
 * Returns the text that clears the status line of a terminal, before other lines are printed. The line reappears when it
 * changes.
 */
export const clearLine = ({ isTTY }: Screen): string => (isTTY === true ? CLEAR : '');

/** Creates a status line. `now` returns milliseconds; it is used only outside a terminal. */
export function createStatusLine(screen: Screen, now: () => number): StatusLine {
  if (screen.isTTY === true) {
    const cut = (text: string): string => printable(text).slice(0, Math.max(20, (screen.columns || 80) - 1));
    return {
      show: (text) => void screen.write(`${CLEAR}${cut(text)}`),
      print: (text) => void screen.write(`${CLEAR}${toLine(text)}`),
      finish: (text) => void screen.write(`${CLEAR}${cut(text)}\n`),
    };
  }
  let shownAt = now();
  return {
    show: (text) => {
      if (now() - shownAt < PLAIN_INTERVAL_MS) return;
      shownAt = now();
      screen.write(toLine(text));
    },
    print: (text) => void screen.write(toLine(text)),
    finish: (text) => void screen.write(toLine(text)),
  };
}
