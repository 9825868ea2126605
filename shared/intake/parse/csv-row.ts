/** One row of CSV (RFC 4180), read strictly: what a lenient reader would guess at is a fault here. */

/** A row: its fields, where each begins, and the offset behind its line ending. All offsets are in UTF-16 units. */
export interface CsvRow {
  fields: string[];
  starts: number[];
  end: number;
}

/** Why a row cannot be read, and where. */
export interface CsvFault {
  offset: number;
  message: string;
  /** The fault is that the text ends: more of it could mend that. */
  isOpen: boolean;
}

interface Field {
  value: string;
  end: number;
}

const PLAIN = /[^,"\r\n]*/y;

/** Reads the row that begins at `start`; it ends with LF, CRLF or the text. */
export function readCsvRow(text: string, start: number): CsvRow | CsvFault {
  const fields: string[] = [];
  const starts: number[] = [];
  for (let offset = start; ; offset++) {
    const field = text[offset] === '"' ? quotedField(text, offset) : plainField(text, offset);
    if ('message' in field) return field;
    fields.push(field.value);
    starts.push(offset);
    offset = field.end;
    if (text[offset] === ',') continue;
    const end = lineEnd(text, offset);
    return end === undefined ? behindField(text, offset) : { fields, starts, end };
  }
}

function plainField(text: string, start: number): Field {
  PLAIN.lastIndex = start;
  PLAIN.test(text);
  return { value: text.slice(start, PLAIN.lastIndex), end: PLAIN.lastIndex };
}

function quotedField(text: string, start: number): Field | CsvFault {
  let value = '';
  for (let from = start + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return { offset: start, message: 'The quote that begins this field is not closed.', isOpen: true };
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { value, end: quote + 1 };
    value += '"';
    from = quote + 2;
  }
}

/** The offset behind the line ending at `offset`; the end of the text is one, with or without a lone CR. */
function lineEnd(text: string, offset: number): number | undefined {
  const ending = offset + (text[offset] === '\r' ? 1 : 0);
  if (ending >= text.length) return ending;
  return text[ending] === '\n' ? ending + 1 : undefined;
}

function behindField(text: string, offset: number): CsvFault {
  if (text[offset] === '\r') return { offset, message: 'A carriage return without a line feed.', isOpen: false };
  const message =
    text[offset] === '"'
      ? 'A quote inside a field that does not begin with one.'
      : 'Expected a comma or the end of the line behind the closing quote.';
  return { offset, message, isOpen: false };
}
