/** Creates the text of a converted file. */

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/** Formats a text as a cell of CSV (RFC 4180), in quotes if necessary. */
export const csvCell = (text: string): string => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const PIECE_CHARACTERS = 64 * 1024;

/** Joins lines into pieces of about 64 KiB, to reduce the number of writes. */
export async function* inPieces(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let text = '';
  for await (const line of lines) {
    text += line;
    if (text.length < PIECE_CHARACTERS) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}
