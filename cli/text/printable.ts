/** A deeper indent than that of any line that a command prints. */
const INDENT = ' '.repeat(8);

/**
 * Replaces control characters (C0 except \n and \t, DEL, C1) with `\xNN`, because a text of an upload or a service must not
 * control the operator's terminal. Used for output that people read, not for JSON, NDJSON or CSV.
 */
export const printable = (text: string): string =>
  text.replace(/[^\P{Cc}\n\t]/gu, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** Returns `text` as a printable line. Text after a line break in it is indented, so that it cannot imitate another line. */
export const toLine = (text: string): string => `${printable(text).replaceAll('\n', `\n${INDENT}`)}\n`;
