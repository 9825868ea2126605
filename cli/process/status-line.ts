import { printable, toLine } from '../text/printable.ts';

/** One line that changes: redrawn in a terminal; elsewhere a new line, now and then. */
export interface StatusLine {
  /** Shows `text` in place of what was shown before. */
  show(text: string): void;
  /** Prints `text` above what is shown, in full. */
  print(text: string): void;
  /** Shows `text` for good. */
  finish(text: string): void;
}

/** What a line is written to. */
export type Screen = Pick<NodeJS.WriteStream, 'write'> & { isTTY?: boolean; columns?: number };

/** A log file must not fill with lines that say almost the same. */
const PLAIN_INTERVAL_MS = 2_000;
const CLEAR = '\r\u001b[2K';

/** What clears a status line of a terminal, before lines of somebody else; it is shown again at its next change. */
export const clearLine = ({ isTTY }: Screen): string => (isTTY === true ? CLEAR : '');

/** `now` in milliseconds is for plain lines only. */
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
