/** Deeper than any line that a command prints. */
const INDENT = ' '.repeat(8);

/**
 * Replaces control characters (C0 except \n and \t, DEL, C1) with `\xNN`: a text from an upload or a service must not
 * control the operator's terminal. For output that people read, not for JSON, NDJSON or CSV.
 */
export const printable = (text: string): string =>
  text.replace(/[^\P{Cc}\n\t]/gu, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** Returns `text` as one printable line; what follows a line break in it is indented, so that it cannot forge a line. */
export const toLine = (text: string): string => `${printable(text).replaceAll('\n', `\n${INDENT}`)}\n`;
